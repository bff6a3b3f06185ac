use std::hint::black_box; use std::time::Instant; use std::sync::Arc; use std::rc::Rc; use vivant_brc::Brc;
#[inline(never)] fn c_arc(a:&Arc<u64>)->Arc<u64>{a.clone()} #[inline(never)] fn d_arc(a:Arc<u64>){drop(a)}
#[inline(never)] fn c_rc(a:&Rc<u64>)->Rc<u64>{a.clone()} #[inline(never)] fn d_rc(a:Rc<u64>){drop(a)}
#[inline(never)] fn c_brc(a:&Brc<u64>)->Brc<u64>{a.clone()} #[inline(never)] fn d_brc(a:Brc<u64>){drop(a)}
fn time(name:&str, mut f: impl FnMut()) { let n=20_000_000; let mut best=f64::MAX; for _ in 0..5 { let t=Instant::now(); for _ in 0..n {f()} best=best.min(t.elapsed().as_nanos() as f64/n as f64);} println!("{name} {best:.2}"); }
fn main(){
 let a=Arc::new(1u64); let r=Rc::new(1u64); let b=Brc::new(1u64);
 for _ in 0..2 {
 time("rc", || { let x=c_rc(black_box(&r)); d_rc(black_box(x)) });
 time("arc", || { let x=c_arc(black_box(&a)); d_arc(black_box(x)) });
 time("brc_owner", || { let x=c_brc(black_box(&b)); d_brc(black_box(x)) });
 std::thread::scope(|s| {s.spawn(|| time("brc_other", || { let x=c_brc(black_box(&b)); d_brc(black_box(x)) })); });
 }
 // contended
 let b=Brc::new(1u64); let a=Arc::new(1u64);
 std::thread::scope(|s| { for _ in 0..2 { s.spawn(|| time("brc_contended", || { let x=c_brc(black_box(&b)); d_brc(black_box(x)) })); }});
 std::thread::scope(|s| { for _ in 0..2 { s.spawn(|| time("arc_contended", || { let x=c_arc(black_box(&a)); d_arc(black_box(x)) })); }});
 // alloc
 time("rc new", || { d_rc(black_box(Rc::new(1))) });
 time("arc new", || { d_arc(black_box(Arc::new(1))) });
 time("brc new", || { d_brc(black_box(Brc::new(1))) });
}
