//! The macros of [vivant](https://docs.rs/vivant), which exports them: depend on that crate, not on
//! this one.
//!
//! | macro | stands on | writes |
//! | macro | applies to | writes |
//! |---|---|---|
//! | [`derive(Actor)`](macro@Actor) | the type of an actor's state | the actor's name, its handle, the tracing of the addresses in the state |
//! | [`behaviours`](macro@behaviours) | an impl block of an actor | a message for each method, `spawn`, the stop hook |
//! | [`interface`](macro@interface) | a trait | messages for every actor that implements it |
//! | [`derive(Object)`](macro@Object) | a type of a collected heap | how the collector traces it |
//! | [`derive(Freeze)`](macro@Freeze) | the same, in a region | the type as which the frozen object is read |
//! | [`test`](macro@test) | a test | a run in a simulation for each of many seeds |
//!
//! They write impls of vivant's public traits, a struct, a module and methods. All of it can be
//! written by hand; each macro shows below how.
//!
//! All take `crate = path`, the path of vivant if it is not `::vivant`:
//! `#[behaviours(crate = my::vivant)]`.
//!
//! In the source, each macro is a module of its name, which reads the user's tokens and writes the
//! expansion. The macros share:
//!
//! - `shape`: the shape of a message, from its method's signature;
//! - `types`: types, read by their tokens;
//! - `face`: the handle struct;
//! - `outgoing_references`: tracing of the addresses in a state;
//! - `graph`: a state with a lifetime, and its actor's name;
//! - `missing_derive`: a type without its derive, reported once;
//! - `slips`: slips of the pen, each reported once;
//! - `surface`: visibility, docs and `#[cfg]` of a user's item, copied to generated items;
//! - `names`, `options`, `errors`.
//!
//! All errors of one expansion are reported together, at the user's tokens, and say what to do. The
//! user's own item stays in place, so no further errors follow from it.

mod actor;
mod behaviours;
mod errors;
mod freeze;
mod graph;
mod handle;
mod interface;
mod missing_derive;
mod names;
mod object;
mod options;
mod outgoing_references;
mod recursion;
mod shape;
mod slips;
mod surface;
mod test;
mod types;

use proc_macro::TokenStream;

/// Makes a struct or an enum an actor's state.
///
/// ```
/// use vivant::prelude::*;
///
/// /// Counts.
/// #[derive(Actor)]
/// pub struct Counter { count: u64 }
///
/// #[behaviours]
/// impl Counter {
///     pub fn add(&mut self, n: u64) -> u64 { self.count += n; self.count }
/// }
///
/// # fn main() -> Result<(), vivant::AskError> {
/// let system = System::new();
/// let counter = system.spawn(Counter { count: 1 });
/// assert_eq!(counter.add(2).ask_blocking()?, 3);
/// # Ok(()) }
/// ```
///
/// The state owns its values, and is `Send`: it moves between the workers. Type parameters are
/// therefore `Send + 'static`; the user need not write these bounds.
///
/// # Graphs
///
/// A state with a lifetime is a graph. It lies in a heap of its own, which is collected between the
/// actor's turns, and may hold references to objects there (`vivant::Gc`), in any shape. The
/// lifetime is the brand of that heap and of the turn. The actor has a name without the lifetime:
/// `Cache` is the actor of `CacheState<'gc>`.
///
/// ```
/// use vivant::prelude::*;
///
/// /// Two of these may refer to each other.
/// #[derive(Object)]
/// struct Person<'gc> { name: String, friends: Vec<Gc<'gc, Mut<Person<'gc>>>> }
///
/// #[derive(Actor)]
/// pub struct CircleState<'gc> { people: Vec<Gc<'gc, Mut<Person<'gc>>>> }
///
/// #[behaviours]
/// impl<'gc> CircleState<'gc> {
///     #[start]
///     fn new() -> Self { CircleState { people: Vec::new() } }
///
///     /// Becomes a friend of all the others.
///     pub fn join(&mut self, t: &Turn<'gc, Circle>, name: String) {
///         let friends = self.people.clone();
///         let newcomer = t.alloc(Mut::new(Person { name, friends }));
///         for friend in &self.people { friend.borrow_mut(t).friends.push(newcomer); }
///         self.people.push(newcomer);
///     }
///
///     pub fn friends_of(&self, name: String) -> Vec<String> {
///         let named = self.people.iter().find(|it| it.borrow().name == name);
///         named.map_or(Vec::new(), |it| it.borrow().friends.iter().map(|it| it.borrow().name.clone()).collect())
///     }
/// }
///
/// # fn main() -> Result<(), vivant::AskError> {
/// let system = System::new();
/// let circle: Address<Circle> = Circle::spawn(&system);
/// for name in ["Ada", "Bob", "Cleo"] { circle.join(name.into()).send(); }
/// assert_eq!(circle.friends_of("Bob".into()).ask_blocking()?, ["Ada", "Cleo"]);
/// # Ok(()) }
/// ```
///
/// Every field is an `Object<'gc>`, by a derive of its type or by `#[object(leaf)]`: see
/// [`derive(Object)`](macro@Object), which this derive does for the state. Type parameters are
/// `Unbranded`. Such a state cannot be made outside its heap, so the actor has a `#[start]`
/// function. A deeply immutable object, a `Val<'gc, T>`, may be sent to other actors; see
/// [`behaviours`](macro@behaviours). A `Gc` does not leave its actor.
///
/// # Options
///
/// `#[actor(…)]`, beside the derive:
///
/// - `blocking`: its turns may block; they run on threads of their own (`Pool::Blocking`).
/// - `mailbox = reject(100)`, `drop_newest(100)` or `drop_oldest(100)`: the bound of the mailbox,
///   and what happens to a message that finds the mailbox full (`Mailbox`). The bound is any
///   constant of type `usize`.
/// - `name = Cache`: for a graph, the actor's name. Default: the state's name without `State` at
///   its end. The `#[behaviours]` must name the same.
/// - `pacing = expression`: for a graph, a constant `Pacing`: when its heap is collected. Default:
///   the system's pacing.
/// - `id = "bank/Account"`: the type's stable name in paths, errors and reports. Default: the
///   type's path.
///
/// # By hand
///
/// It writes `impl vivant::Actor`, `impl vivant::Target`, and for `Counter` a struct
/// `CounterHandle` around a `vivant::Link`, as visible as the actor, with `impl vivant::Handle`,
/// `Clone` and `Debug`. `vivant::Actor` shows these few lines. For a graph it also writes the type
/// that is the actor's name, and `impl Object` for the state.
#[proc_macro_derive(Actor, attributes(actor, object))]
pub fn actor(input: TokenStream) -> TokenStream {
    let input = input.into();
    let missing = missing_derive::of_objects(&input, &quote::quote!(::vivant::heap));
    written(actor::expand(input), missing)
}

/// Makes the methods of an actor its behaviours: each becomes a message.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)]
/// pub struct Account { balance: u64 }
///
/// #[behaviours]
/// impl Account {
///     /// Makes the state, in the actor's first turn. Writes `Account::spawn(&system, balance)`.
///     #[start]
///     fn new(balance: u64) -> Self { Account { balance } }
///
///     /// A message, its arguments, its answer.
///     pub fn deposit(&mut self, amount: u64) -> u64 { self.balance += amount; self.balance }
///
///     /// The message waits until the guard holds.
///     #[when(self.balance >= amount)]
///     pub fn withdraw(&mut self, amount: u64) -> u64 { self.balance -= amount; self.balance }
///
///     /// The turn comes first, where it is needed. The answer is the promise's value.
///     pub fn give(&mut self, t: &Turn<Self>, to: Address<Account>, amount: u64) -> Promise<u64> {
///         self.balance -= amount;
///         t.ask(to.deposit(amount)).then(t.me().given(amount))
///     }
///
///     /// A continuation: a promise fills its first argument, the hole.
///     #[then]
///     fn given(&mut self, theirs: Result<u64, AskError>, amount: u64) -> u64 {
///         if theirs.is_err() { self.balance += amount }
///         self.checked()
///     }
///
///     /// No message, only a method.
///     #[local]
///     fn checked(&self) -> u64 { self.balance }
///
///     /// Runs in the actor's last turn, with the reason of its end.
///     #[stop]
///     fn close(&mut self, reason: &StopReason) { println!("{} left, because {reason}", self.balance) }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let (ada, bob) = (Account::spawn(&system, 10), Account::spawn(&system, 0));
/// assert_eq!(ada.give(bob.clone(), 4).ask_blocking()?, 6);
/// assert_eq!(bob.withdraw(3).ask_blocking()?, 1);
/// # Ok(()) }
/// ```
///
/// # Signatures
///
/// - A method takes `&mut self` or `&self`, then optionally the turn, `t: &Turn<Self>`, then the
///   message's arguments: named, of types that own their values (`Send + 'static`), or that name a
///   graph's lifetime (below).
/// - It returns the answer, or a `Promise` of the answer, or a `Step` of a behaviour that runs in
///   several turns: `vivant::Step` shows one, with a parameter marked `#[locals]`. The macro
///   recognises both types by name: it does not see through an alias of `Promise<u64>`.
/// - It is neither `async` nor generic. A turn cannot be suspended, and a message is one type with
///   one name. The actor may be generic.
/// - Its visibility is that of the message: code that can name the method can send the message. Its
///   docs are shown at the address's method and at the message.
/// - Its name cannot be the name of an existing method of addresses, such as `clone` or `max`.
///
/// Functions without `self` and methods marked `#[local]` are left as they are.
///
/// A guard, `#[when(expression)]`, sees the state as `&self` and the arguments under their names.
/// It may only read. While messages wait, the guard is evaluated again after each turn of a
/// behaviour that takes `&mut self`. A behaviour that takes `&self` is trusted to change nothing
/// that a guard reads, so guards must not read a `Cell`.
///
/// If the guard names no argument, one evaluation for the oldest message decides for all waiting
/// messages of that behaviour. If it names one, the guard is evaluated for each message: for
/// sixty-four of them after a turn, and for the others when the actor has no other work. In a macro
/// with syntax of its own (not a list of expressions, not `matches!`) an argument's name is a
/// reference.
///
/// `#[then]`, `#[start]`, `#[stop]` are shown above. A `#[start]` function and a `#[stop]` method
/// may take the turn; an actor has at most one of each.
///
/// A behaviour with `asker: &Asker` after its turn, before the arguments, sees whether its reply is
/// awaited (`vivant::Asker`); the message has no such part. `#[if_awaited]` marks a behaviour, also
/// a `#[then]`, that has no effect but its reply: a request is withdrawn if the reply is not
/// awaited any more when its turn would begin.
///
/// # Joins
///
/// A method without a body is a message that waits for others. A method with `#[join(put, get)]`
/// takes one of each, in one turn, as soon as one of each waits:
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)]
/// pub struct Buffer { passed: u64 }
///
/// #[behaviours]
/// impl Buffer {
///     /// Gives an item.
///     pub fn put(item: u64);
///
///     /// Takes an item that is not larger.
///     pub fn get(limit: u64) -> u64;
///
///     #[join(put, get)]
///     #[when(item <= limit)]
///     fn hand_over(&mut self, item: u64, limit: u64) -> u64 {
///         self.passed += 1;
///         item
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let buffer = system.spawn(Buffer { passed: 0 });
/// buffer.put(8).send();
/// buffer.put(3).send();
/// assert_eq!(buffer.get(5).ask_blocking()?, 3);
/// # Ok(()) }
/// ```
///
/// - A message without a body has neither `self` nor the turn nor a guard. At least one join of its
///   block takes it, and several may. Until then it waits like a message with a false guard.
/// - A join takes two to eight messages. After `&mut self`, and `t: &Turn<Self>` if it needs it, it
///   has the parameters of its messages in their order, with the same types in the same words.
/// - It returns the replies of those messages that have one: nothing, one reply, or a tuple in
///   their order. Each may be a `Promise`, or a `Result<Promise<V>, E>`, as in any behaviour. A
///   message without a reply that was asked is answered when the join returns.
/// - The oldest messages go together. With a guard it is the first combination, in the order in
///   which the combinations became complete, for which the guard holds. If one message completes
///   several joins, the join that is written first runs.
/// - A join is one turn: it is neither a `Step` nor `#[then]`. A plain actor takes shared data as
///   `Parcel<Val<'static, …>>`; a graph takes `Val<'gc, …>` in messages and in replies.
///
/// Without a guard, and with a guard that names no parameter, a message costs the same however many
/// wait. A guard that names parameters is evaluated for each combination: for sixty-four of them
/// after a turn, and for the others when the actor has no other work. If it does not name `self`,
/// it is evaluated once for each combination, otherwise again after each turn.
///
/// # Values shared between heaps
///
/// In the messages of a graph, a type that names the state's lifetime can be shared between heaps
/// (`vivant::Sendable`): `Val`s, `Tag`s, `Far`s, and plain data around them. They are sent as
/// pointers, however large the object graph below them is, and are counted when they leave and
/// arrive (ORCA).
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Object)]
/// pub struct Page<'gc> { text: String, next: Option<Val<'gc, Page<'gc>>> }
///
/// #[derive(Actor)]
/// pub struct CacheState<'gc> { pages: gc::HashMap<'gc, u64, Val<'gc, Page<'gc>>> }
///
/// #[behaviours]
/// impl<'gc> CacheState<'gc> {
///     #[start]
///     fn new() -> Self { CacheState { pages: gc::HashMap::new() } }
///
///     pub fn write(&mut self, t: &Turn<'gc, Cache>, key: u64, text: String) {
///         let page = t.val(Page { text, next: None });
///         self.pages.insert(t, key, page);
///     }
///     pub fn get(&mut self, key: u64) -> Option<Val<'gc, Page<'gc>>> { self.pages.get(&key).copied() }
///     pub fn put(&mut self, t: &Turn<'gc, Cache>, key: u64, page: Val<'gc, Page<'gc>>) { self.pages.insert(t, key, page); }
///
///     /// Puts another actor's page into this cache, without a copy.
///     pub fn fetch(&self, t: &Turn<'gc, Cache>, from: Address<Cache>, key: u64) -> Promise<bool> {
///         t.ask(from.get(key)).then(t.me().fetched(key))
///     }
///     #[then]
///     fn fetched(&mut self, t: &Turn<'gc, Cache>, page: Result<Option<Val<'gc, Page<'gc>>>, AskError>, key: u64) -> bool {
///         let Ok(Some(page)) = page else { return false };
///         t.send(t.me().put(key, page));
///         true
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let (one, other) = (Cache::spawn(&system), Cache::spawn(&system));
/// one.write(5, "five".into()).send();
/// assert!(other.fetch(one, 5).ask_blocking()?);
/// // Outside turns the page is in a parcel, and is read there.
/// let page = other.get(5).ask_blocking()?;
/// assert_eq!(page.look(|page| page.map(|it| it.text.clone())), Some("five".into()));
/// # Ok(()) }
/// ```
///
/// In the message itself lies a `vivant::Parcel` of the type with `'static` for the lifetime; the
/// address's method packs it, and `run` unpacks it into the turn. A `Promise<T>` of such a type is
/// therefore a `Promise<Parcel<…>>`, both in a signature and in the expressions that make it.
/// `then_local`, `t.all` and `ask_blocking` return parcels too, which `t.unpack` or `Parcel::look`
/// open. A parcel fills a `#[then]` method's `Result<T, AskError>`. A guard sees such an argument
/// under a lifetime of its own, and does not see a continuation's answer at all.
///
/// A parcel counts the references in it until it is unpacked or dropped, on any thread. A plain
/// actor, or an interface, has no lifetime to name: it takes and returns
/// `Parcel<Val<'static, Page<'static>>>`. A plain actor's method may have a lifetime of its own,
/// for one argument that it reads and sends on but cannot keep:
/// `fn length<'gc>(&self, page: Val<'gc, Page<'gc>>) -> usize`.
///
/// # An interface's impl
///
/// On the impl of an [interface](macro@interface) it writes the table through which the interface
/// reaches the actor's behaviours. The actor's own address gets no methods from it: call
/// `Address::upcast`.
///
/// # Options
///
/// - `name = Cache`: for a graph, the name of its actor, the same as at the state.
/// - `module = name`: the module of the messages, needed with several blocks. Default:
///   `account_messages`; `account_ledger_messages` for `impl Ledger for Account`.
/// - `id = "bank/Account"`: the prefix of the messages' stable names: `bank/Account::deposit`.
///   Default: the actor's path; for an interface's impl followed by the interface's name.
///
/// # By hand
///
/// For each behaviour it writes a type without values, `account_messages::Deposit<Account>`. The
/// type is generic over the actor, so a private actor's name need not be public. It writes the
/// type's `impl vivant::Message` and `impl vivant::Behaviour`, for `#[then]` also
/// `impl vivant::Continuation`; and a method of `AccountHandle`, which makes a `vivant::Call` or
/// `vivant::Then`. `vivant::Behaviour` shows one in full.
#[proc_macro_attribute]
pub fn behaviours(arguments: TokenStream, item: TokenStream) -> TokenStream {
    behaviours::expand(arguments.into(), item.into()).into()
}

/// Makes a trait an interface: messages for every actor that implements it. `Address<dyn Trait>` is
/// the address of such an actor.
///
/// ```
/// use vivant::prelude::*;
///
/// /// An actor that can be paid.
/// #[interface]
/// pub trait Payee {
///     /// Takes `amount`; answers the new balance.
///     fn pay(&mut self, amount: u64) -> u64;
/// }
///
/// #[derive(Actor)]
/// pub struct Purse { coins: Vec<u64> }
///
/// #[behaviours]
/// impl Payee for Purse {
///     fn pay(&mut self, amount: u64) -> u64 { self.coins.push(amount); self.coins.iter().sum() }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let purse = system.spawn(Purse { coins: vec![1] });
/// let payee: Address<dyn Payee> = Address::upcast(&purse);
/// assert_eq!(payee.pay(4).ask_blocking()?, 5);
/// # Ok(()) }
/// ```
///
/// The trait's methods are read as those of [`behaviours`](macro@behaviours). An implementor takes
/// the turn, `t: &Turn<Self>`, where it needs it, whether the trait says so or not. As always in
/// Rust, trait and impl have the same return type, `u64` or `Promise<u64>`. Guards belong into the
/// impl. An interface has no parameters, no associated types and no bodies, and its messages do not
/// name `Self`.
///
/// To the trait's methods it adds `where Self: Sized`, so `dyn Payee` is a type; it has no values.
/// And it adds the turn to all of them, so code that calls such a method as a method passes it:
/// `self.pay(t, 4)`.
///
/// # Options
///
/// - `module = name`: the module of the messages. Default: `payee_messages`.
/// - `id = "bank/Payee"`: the prefix of the messages' stable names. Default: the trait's path.
///
/// # By hand
///
/// It writes a type for each message, `payee_messages::Pay`, and its `impl vivant::Message`; a
/// struct `PayeeTable` with a `vivant::Entry` for each message; a struct `PayeeHandle` with methods
/// that call the entries; and `impl vivant::Target for dyn Payee`. The implementor's
/// `#[behaviours]` writes the other half, `impl vivant::Implements<dyn Payee> for Purse`.
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    interface::expand(arguments.into(), item.into()).into()
}

/// Runs a test in simulations, once for each of many seeds.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::simulation::Simulation;
/// # #[derive(Actor)] struct Light { on: bool }
/// # #[behaviours] impl Light { fn toggle(&mut self) -> bool { self.on = !self.on; self.on } }
///
/// #[vivant::test]
/// fn it_goes_on(system: &System) {
///     let light = system.spawn(Light { on: false });
///     assert_eq!(light.toggle().ask_blocking(), Ok(true));
/// }
///
/// #[vivant::test(seeds = 100)]
/// async fn it_goes_off_again(system: System) -> Result<(), AskError> {
///     let light = system.spawn(Light { on: false });
///     light.toggle().send();
///     assert!(!light.toggle().ask().await?);
///     Ok(())
/// }
///
/// #[vivant::test(seeds = 10)]
/// fn it_ends(simulation: &Simulation) {
///     Address::stop(&simulation.system().spawn(Light { on: false }));
///     simulation.run();
///     assert!(simulation.system().inspect().actors.is_empty());
/// }
/// # fn main() {}
/// ```
///
/// The function takes `&Simulation`, `&System` or `System`: any type that a `&Simulation` converts
/// into. An `async` function runs in `System::block_on`. It returns `()` or `Result<(), E>`, where
/// an error fails the test. Other attributes, such as `#[should_panic]`, apply to the test.
///
/// A failing test prints its seed. `VIVANT_SEED=17` runs that seed alone, `VIVANT_SEEDS=10000` runs
/// that many, and `VIVANT_TRACE=1` prints the turns with their arguments.
///
/// # Options
///
/// - `seeds = 100`: the number of seeds; default 20.
/// - `faults = expression`: a `vivant::simulation::Faults`, the faults that the seed may inject.
///   Default: the seed chooses the order of turns only.
///
/// # By hand
///
/// It writes `#[test]`, and in it `vivant::simulation::check`.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(arguments.into(), item.into()).into()
}

/// Makes a struct or an enum an `Object<'gc>`: a type that a collected heap can hold.
///
/// ```
/// use vivant_heap::{Gc, Mut, Object};
///
/// #[derive(Object)]
/// struct Tree<'gc, T> {
///     value: T,
///     children: Vec<Gc<'gc, Mut<Tree<'gc, T>>>>,
///     #[object(leaf)]
///     home: Option<std::net::IpAddr>,
/// }
/// ```
///
/// The type's lifetime, if it has one, is the brand of its heap. A type without a lifetime has
/// no collected parts of its own; its type parameters may have some. The derive makes type
/// parameters objects of the same brand; the user need not write the bound.
///
/// Every field is an `Object` of that brand, or is marked `#[object(leaf)]`: then it is
/// `Send + 'static`, and the collector does not trace it.
///
/// A type with collected parts, or with type parameters, has no destructor. Move the values
/// that a destructor needs into a field of their own, of a type without collected parts. Unions and
/// packed types are refused.
///
/// # Options
///
/// `#[object(…)]`, beside the derive:
///
/// - `leaf`: the whole type has no collected parts, whatever its fields are. It is `Send + 'static`
///   and may have a destructor; its type parameters are `Send + 'static`.
/// - `crate = path`: the path of vivant-heap, if it is not `::vivant_heap`.
/// - `frozen = Name`: the name of the type that [`derive(Freeze)`](macro@Freeze) writes.
///
/// # By hand
///
/// It writes `unsafe impl Object`, with two functions that call those of the fields. From the
/// fields also follow `FrozenParts`, `Sendable`, `Erased`, and, for a type without lifetime and
/// type parameters, `Freeze`.
#[proc_macro_derive(Object, attributes(object))]
pub fn object(input: TokenStream) -> TokenStream {
    object_of(input.into(), &quote::quote!(::vivant_heap))
}

/// As [`derive@Object`], for programs that use vivant-heap through vivant: there it is
/// `vivant::Object`.
#[proc_macro_derive(ActorsObject, attributes(object))]
pub fn actors_object(input: TokenStream) -> TokenStream {
    object_of(input.into(), &quote::quote!(::vivant::heap))
}

/// Makes a struct or an enum of a collected heap freezable, beside `#[derive(Object)]`.
///
/// ```
/// use vivant_heap::{Freeze, Gc, Ice, Mut, Object, Val};
///
/// #[derive(Object, Freeze)]
/// enum Shape<'gc> {
///     Circle { radius: f64 },
///     Group(Vec<Gc<'gc, Mut<Shape<'gc>>>>),
/// }
///
/// fn circles(shape: Val<'_, Ice<Mut<Shape<'_>>>>) -> usize {
///     match shape.read() {
///         FrozenShape::Circle { .. } => 1,
///         FrozenShape::Group(shapes) => shapes.iter().map(|shape| circles(*shape)).sum(),
///     }
/// }
/// ```
///
/// It writes `FrozenShape`, as visible as the type, with the same variants and fields, each of the
/// type as which it is read: `vivant_heap::Freeze` has the table. The type is `Copy`, and may have
/// methods.
///
/// Every field is `Freeze`, so a type that cannot be frozen is a compile error where the enclosing
/// type is defined. A field marked `#[object(leaf)]` is `Send + Sync + 'static` instead, and is
/// read by reference. A type without lifetime and type parameters needs no `Freeze`: it is frozen
/// as it is.
///
/// # Options
///
/// `#[object(…)]`, beside the derive:
///
/// - `frozen = Name`: the name of the written type. Default: `Frozen` and the type's name.
/// - `crate = path`: as for [`derive(Object)`](macro@Object).
#[proc_macro_derive(Freeze, attributes(object))]
pub fn freeze(input: TokenStream) -> TokenStream {
    written(
        freeze::expand(input.into(), &quote::quote!(::vivant_heap)),
        proc_macro2::TokenStream::new(),
    )
}

/// As [`derive@Freeze`], for programs that use vivant-heap through vivant: there it is
/// `vivant::Freeze`.
#[proc_macro_derive(ActorsFreeze, attributes(object))]
pub fn actors_freeze(input: TokenStream) -> TokenStream {
    written(
        freeze::expand(input.into(), &quote::quote!(::vivant::heap)),
        proc_macro2::TokenStream::new(),
    )
}

fn object_of(input: proc_macro2::TokenStream, heap: &proc_macro2::TokenStream) -> TokenStream {
    let missing = missing_derive::of_objects(&input, heap);
    written(object::expand(input, heap), missing)
}

/// What a derive writes: its items, or its errors; and what it writes for types without a derive.
fn written(
    expansion: syn::Result<proc_macro2::TokenStream>,
    missing: proc_macro2::TokenStream,
) -> TokenStream {
    let mut written = expansion.unwrap_or_else(|error| error.to_compile_error());
    written.extend(missing);
    written.into()
}
