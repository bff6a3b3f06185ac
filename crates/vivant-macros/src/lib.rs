//! The macros of [vivant](https://docs.rs/vivant), which exports them: depend on that crate, not on
//! this one.
//!
//! | macro | stands on | writes |
//! |---|---|---|
//! | [`derive(Actor)`](macro@Actor) | the type of an actor's state | its name, its handle, which addresses it shows |
//! | [`behaviours`](macro@behaviours) | an impl block of an actor | a message for each method, `spawn`, the stop hook |
//! | [`interface`](macro@interface) | a trait | messages for whoever implements it |
//! | [`derive(Object)`](macro@Object) | a type of a collected heap | how the collector goes through it |
//! | [`derive(Freeze)`](macro@Freeze) | the same, in a region | as what it is read when it is frozen |
//! | [`test`](macro@test) | a test | a run in a simulation for each of many seeds |
//!
//! They write impls of vivant's public traits, a struct, a module and methods, and nothing that
//! cannot be written by hand; each says below how.
//!
//! All take `crate = path`, which says where vivant is when it is not `::vivant`:
//! `#[behaviours(crate = my::vivant)]`.
//!
//! In the source, a macro is a module of its name, which reads the user's tokens and writes the
//! expansion. They share:
//!
//! - `shape`: what a method's signature says about its message;
//! - `types`: types, read by their tokens;
//! - `face`: the handle struct;
//! - `acquaintances`: which addresses a state shows;
//! - `holdings`: what an object holds of things that are counted elsewhere;
//! - `graph`: a state with a lifetime, and its actor's name;
//! - `surface`: what of a user's item shows on what is written for it: visibility, docs, `#[cfg]`;
//! - `names`, `options`, `errors`.
//!
//! An error is reported with all others and at the user's tokens, says what to do, and leaves the
//! user's own item in place, so that no errors follow from it.

mod acquaintances;
mod actor;
mod behaviours;
mod errors;
mod face;
mod freeze;
mod graph;
mod holdings;
mod interface;
mod names;
mod object;
mod options;
mod recursion;
mod shape;
mod sharing;
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
/// The state owns what it holds, and is `Send`: it moves between the workers. Type parameters are
/// `Send + 'static` by that, and need not say so.
///
/// # Graphs
///
/// A state with a lifetime is a graph: it lies in a heap of the actor's own, which is collected
/// between its turns, and may hold references to objects there (`vivant::Gc`), in any shape. The
/// lifetime is the brand of that heap and of the turn. The actor has a name without it: `Cache` is
/// the actor of `CacheState<'gc>`.
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
///     /// Becomes a friend of everybody.
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
/// Every field is an `Object<'gc>`, by a derive of its type or by `#[object(leaf)]`, as
/// [`derive(Object)`](macro@Object) says, which this derive does for the state. Type parameters are
/// `Unbranded`. Such a state cannot be made outside, so the actor has a `#[start]` function. What
/// is deeply immutable, a `Val<'gc, T>`, may go to other actors; see
/// [`behaviours`](macro@behaviours). A `Gc` does not leave its actor.
///
/// # Options
///
/// `#[actor(…)]`, beside the derive:
///
/// - `blocking`: its turns may block; they run on threads of their own (`Pool::Blocking`).
/// - `mailbox = reject(100)`, `drop_newest(100)` or `drop_oldest(100)`: at most so many messages
///   wait, and what becomes of one that finds the mailbox full (`Mailbox`). The bound is any
///   constant of type `usize`.
/// - `name = Cache`: of a graph, what the actor is called. Without it, as the state without `State`
///   at its end. The `#[behaviours]` say the same.
/// - `pacing = expression`: of a graph, a constant `Pacing`: when its heap collects. Without it, as
///   the system was built.
/// - `id = "bank/Account"`: the type's stable name in paths, errors and reports. Without it, the
///   type's path.
///
/// # By hand
///
/// It writes `impl vivant::Actor`, `impl vivant::Target`, and for `Counter` a struct
/// `CounterHandle` around a `vivant::Link`, as visible as the actor, with `impl vivant::Handle`,
/// `Clone` and `Debug`. A few lines, shown at `vivant::Actor`. For a graph also the type that is
/// the actor's name, and `impl Object` for the state.
#[proc_macro_derive(Actor, attributes(actor, object))]
pub fn actor(input: TokenStream) -> TokenStream {
    actor::expand(input.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes the methods of an actor its behaviours: what it can be told.
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
///     /// Hears why the actor ends, in its last turn.
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
/// # What a method says
///
/// - It takes `&mut self` or `&self`, then perhaps the turn, `t: &Turn<Self>`, then what the
///   message carries: named arguments of types that own what they hold (`Send + 'static`), or that
///   name a graph's lifetime (below).
/// - It returns the answer, or a `Promise` of the answer, or a `Step` of a behaviour that is called
///   again and again: `vivant::Step` shows one, with a parameter marked `#[locals]`. The macro sees
///   that by the name: an alias of `Promise<u64>` is no promise to it.
/// - It is neither `async` nor generic. A turn cannot be suspended, and a message is one type with
///   one name. The actor may be generic.
/// - Its visibility is who may send the message. Its docs are shown at the address's method and at
///   the message.
/// - Its name cannot be one that addresses have already, such as `clone` or `max`.
///
/// Functions without `self` and methods marked `#[local]` stay what they are.
///
/// A guard, `#[when(expression)]`, sees the state as `&self` and the arguments under their names.
/// It may read and nothing else. While messages wait it is evaluated again after each turn of a
/// behaviour that takes `&mut self` (one that takes `&self` is trusted to change nothing: no `Cell`
/// that a guard reads). If it does not name an argument, one look at the oldest stands for all that
/// wait for that behaviour; if it does, each is looked at, sixty-four after a turn and the others
/// when nothing else is to be done. In a macro with a language of its own (not a list of
/// expressions, not `matches!`) an argument's name stands for a reference.
///
/// `#[then]`, `#[start]`, `#[stop]` are shown above. A `#[start]` function and a `#[stop]` method
/// may take the turn, or not; there is one of each for an actor.
///
/// # What heaps share
///
/// In the messages of a graph, a type that names the state's lifetime is of what heaps share
/// (`vivant::Sendable`): `Val`s, `Tag`s, `Far`s, and plain data around them. They go as pointers,
/// whatever lies below, and are counted as they leave and arrive (ORCA).
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
///     /// Has another's page too, which is not copied.
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
/// // Outside turns it is in a parcel, and is looked at there.
/// let page = other.get(5).ask_blocking()?;
/// assert_eq!(page.look(|page| page.map(|it| it.text.clone())), Some("five".into()));
/// # Ok(()) }
/// ```
///
/// In the message itself lies a `vivant::Parcel` of the type with `'static` for the lifetime; the
/// address's method packs it, `run` unpacks it into the turn. So a `Promise<T>` of such a type is,
/// in a signature and in what it is made of, a `Promise<Parcel<…>>`; `then_local`, `t.all` and
/// `ask_blocking` give parcels too, which `t.unpack` or `Parcel::look` open. A `#[then]` method's
/// `Result<T, AskError>` is filled by a parcel. A guard sees such an argument under a lifetime of
/// its own, and a continuation's answer not at all.
///
/// A parcel counts what is in it until it is unpacked or dropped, by whomever. A plain actor, or an
/// interface, has no lifetime to name: it takes and answers `Parcel<Val<'static, Page<'static>>>`.
/// A plain actor's method may have a lifetime of its own, for one argument that it reads and sends
/// on, and cannot keep: `fn length<'gc>(&self, page: Val<'gc, Page<'gc>>) -> usize`.
///
/// # An interface's impl
///
/// On the impl of an [interface](macro@interface) it writes how the actor is reached through that
/// interface. The address of the actor itself gets no methods by it: call `Address::upcast`.
///
/// # Options
///
/// - `name = Cache`: of a graph, what its actor is called, as at the state.
/// - `module = name`: the module of the messages, when there are several blocks. Without it, the
///   actor's name in snake case; `account_ledger` for `impl Ledger for Account`.
/// - `id = "bank/Account"`: what the messages' stable names begin with: `bank/Account::deposit`.
///   Without it, the actor's path; for an interface's impl the interface's name follows it.
///
/// # By hand
///
/// For each behaviour it writes a type, `account::Deposit<Account>`, which has no values and is
/// generic over the actor so that a private actor's name need not be public; its
/// `impl vivant::Message` and `impl vivant::Behaviour`, for `#[then]` also
/// `impl vivant::Continuation`; and a method of `AccountHandle`, which makes a `vivant::Call` or
/// `vivant::Then`. `vivant::Behaviour` shows one in full.
#[proc_macro_attribute]
pub fn behaviours(arguments: TokenStream, item: TokenStream) -> TokenStream {
    behaviours::expand(arguments.into(), item.into()).into()
}

/// Makes a trait an interface: messages for whichever actor implements it. `Address<dyn Trait>` is
/// the address of one.
///
/// ```
/// use vivant::prelude::*;
///
/// /// Who can be paid.
/// #[interface]
/// pub trait Payee {
///     /// Takes `amount`; answers what is there then.
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
/// The trait's methods are read as those of [`behaviours`](macro@behaviours), and may take the
/// turn, `t: &Turn<Self>`. Trait and impl agree on what is returned, `u64` or `Promise<u64>`, as
/// Rust has it. Guards belong into the impl. An interface has no parameters, no associated types,
/// no bodies, and its messages do not speak of `Self`.
///
/// In the trait's methods it adds `where Self: Sized`, and `Self: Actor` to those that take the
/// turn, so that `dyn Payee` is a type; nobody has values of it.
///
/// # Options
///
/// - `id = "bank/Payee"`: what the messages' stable names begin with. Without it, the trait's path.
///
/// # By hand
///
/// It writes a type for each message, `payee::Pay`, and its `impl vivant::Message`; a struct
/// `PayeeTable` with a `vivant::Entry` for each; `PayeeHandle`, whose methods call them; and
/// `impl vivant::Target for dyn Payee`. The other half,
/// `impl vivant::Implements<dyn Payee> for Purse`, is the implementor's.
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
/// The function takes what a `&Simulation` can become: `&Simulation`, `&System` or `System`. An
/// `async` one runs in `System::block_on`. It returns nothing or `Result<(), E>`, where an error
/// fails the test. Other attributes, such as `#[should_panic]`, hold for the test.
///
/// A failing test prints its seed; `VIVANT_SEED=17` runs that one alone, `VIVANT_SEEDS=10000` so
/// many.
///
/// # Options
///
/// - `seeds = 100`: how many; 20 without it.
/// - `faults = expression`: a `vivant::simulation::Faults`, what the seed may do to the program.
///   Without it, it chooses the order of turns and no more.
///
/// # By hand
///
/// `#[test]`, and in it `vivant::simulation::check`.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(arguments.into(), item.into()).into()
}

/// Makes a struct or an enum something that a collected heap can hold: an `Object<'gc>`.
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
/// The type's lifetime, if it has one, is the brand of its heap (Y2). A type without one has no
/// collected parts of its own; its type parameters may have some. Type parameters are objects of
/// the same brand by this derive, and need not say so.
///
/// Every field is an `Object` of that brand, or is marked `#[object(leaf)]`: then it is
/// `Send + 'static`, and the collector leaves it alone.
///
/// A type with collected parts, or with type parameters, has no destructor (H10). What a destructor
/// needs is put into a field of its own, of a type without collected parts. Unions and packed types
/// are refused.
///
/// # Options
///
/// `#[object(…)]`, beside the derive:
///
/// - `leaf`: the whole type has no collected parts, whatever its fields are. It is `Send + 'static`
///   and may have a destructor; its type parameters are `Send + 'static`.
/// - `crate = path`: where vivant-heap is, when it is not `::vivant_heap`.
/// - `frozen = Name`: what [`derive(Freeze)`](macro@Freeze) calls what it writes.
///
/// # By hand
///
/// It writes `unsafe impl Object`, whose two functions call those of the fields; and what follows
/// from the fields: `FrozenParts`, `Sendable`, `Twin`, and of a type without lifetime and type
/// parameters `Freeze`.
#[proc_macro_derive(Object, attributes(object))]
pub fn object(input: TokenStream) -> TokenStream {
    object::expand(input.into(), &quote::quote!(::vivant_heap))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// As [`derive@Object`], for programs that have vivant-heap by way of vivant: there it is
/// `vivant::Object`.
#[proc_macro_derive(ActorsObject, attributes(object))]
pub fn actors_object(input: TokenStream) -> TokenStream {
    object::expand(input.into(), &quote::quote!(::vivant::heap))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes a struct or an enum of a collected heap something that can be frozen, beside
/// `#[derive(Object)]`.
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
/// It writes `FrozenShape`, as visible as the type, with the same variants and fields, each as what
/// it is read as: `vivant_heap::Freeze` has the table. It is `Copy`, and may have methods.
///
/// Every field is `Freeze`, so what cannot be frozen anywhere in a graph does not compile where its
/// type is defined; or it is marked `#[object(leaf)]`: then it is `Send + Sync + 'static`, and read
/// by reference. A type without lifetime and type parameters needs no `Freeze`: it is frozen as it
/// is.
///
/// # Options
///
/// `#[object(…)]`, beside the derive:
///
/// - `frozen = Name`: what is written, when that is not to be called `Frozen` and the type's name.
/// - `crate = path`: as [`derive(Object)`](macro@Object) has it.
#[proc_macro_derive(Freeze, attributes(object))]
pub fn freeze(input: TokenStream) -> TokenStream {
    freeze::expand(input.into(), &quote::quote!(::vivant_heap))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// As [`derive@Freeze`], for programs that have vivant-heap by way of vivant: there it is
/// `vivant::Freeze`.
#[proc_macro_derive(ActorsFreeze, attributes(object))]
pub fn actors_freeze(input: TokenStream) -> TokenStream {
    freeze::expand(input.into(), &quote::quote!(::vivant::heap))
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
