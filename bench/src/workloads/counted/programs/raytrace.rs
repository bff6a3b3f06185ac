//! A ray-traced picture of balls.
//!
//! Protocol: our own, in the manner of P. Shirley's first book on ray tracing; the PACT paper's
//! program is not known. A scene is a list of counted balls, each with a counted material that it
//! shares with others. A hit owns the ball and its material, so that shading needs no reference to
//! the scene. Of all hits of a ray the nearest is kept. So counts change with every hit, not with
//! every ball that is tested.

use super::{Ptr, SEED, digest};
use crate::run::Run;
use fastrand::Rng;
use std::ops::{Add, Mul, Sub};

/// Limit of the reflections of a ray.
const BOUNCES: u32 = 8;

/// Nearer than this is the place that the ray comes from.
const NEAREST: f64 = 1e-4;

#[derive(Clone, Copy)]
struct Vector([f64; 3]);

impl Vector {
    fn dot(self, other: Vector) -> f64 {
        let [a, b, c] = (self * other).0;
        a + b + c
    }

    fn times(self, factor: f64) -> Vector {
        self * Vector([factor; 3])
    }

    fn unit(self) -> Vector {
        self.times(1.0 / self.dot(self).sqrt())
    }
}

fn each(a: Vector, b: Vector, operation: fn(f64, f64) -> f64) -> Vector {
    let ([a, b, c], [d, e, f]) = (a.0, b.0);
    Vector([operation(a, d), operation(b, e), operation(c, f)])
}

impl Add for Vector {
    type Output = Vector;

    fn add(self, other: Vector) -> Vector {
        each(self, other, |a, b| a + b)
    }
}

impl Sub for Vector {
    type Output = Vector;

    fn sub(self, other: Vector) -> Vector {
        each(self, other, |a, b| a - b)
    }
}

impl Mul for Vector {
    type Output = Vector;

    fn mul(self, other: Vector) -> Vector {
        each(self, other, |a, b| a * b)
    }
}

struct Ray {
    from: Vector,
    direction: Vector,
}

/// What light does at a surface.
struct Material {
    colour: Vector,
    /// 0: like a mirror; 1: in all directions.
    roughness: f64,
}

struct Ball {
    centre: Vector,
    radius: f64,
    material: Ptr<Material>,
}

/// Where a ray meets a ball.
struct Hit {
    distance: f64,
    ball: Ptr<Ball>,
    material: Ptr<Material>,
}

impl Ball {
    /// How far it is to where the ray meets it first, before `end`.
    ///
    /// A call, so that the arithmetic is the same code whatever the pointers are: within the loop
    /// over the balls the compiler vectorises it for some and not for others.
    #[inline(never)]
    fn distance(&self, ray: &Ray, end: f64) -> Option<f64> {
        let to_ray = ray.from - self.centre;
        let half = to_ray.dot(ray.direction);
        let rest = to_ray.dot(to_ray) - self.radius * self.radius;
        let root = half * half - rest;
        if root < 0.0 {
            return None;
        }
        let root = root.sqrt();
        let within = |it: &f64| *it > NEAREST && *it < end;
        [-half - root, -half + root].into_iter().find(within)
    }
}

struct Scene {
    balls: Vec<Ptr<Ball>>,
}

impl Scene {
    /// A large ball to stand on, and nine in three rows, the far ones first, of three materials.
    fn new() -> Scene {
        let material = |colour, roughness| {
            let colour = Vector(colour);
            Ptr::new(Material { colour, roughness })
        };
        let ground = material([0.6, 0.6, 0.5], 1.0);
        let others = [
            material([0.8, 0.3, 0.3], 1.0),
            material([0.9, 0.9, 0.9], 0.0),
            material([0.3, 0.5, 0.8], 0.3),
        ];
        let ball = |x: f64, y: f64, z: f64, radius: f64, material: &Ptr<Material>| {
            Ptr::new(Ball {
                centre: Vector([x, y, z]),
                radius,
                material: material.clone(),
            })
        };
        let mut balls = vec![ball(0.0, -1000.0, 0.0, 1000.0, &ground)];
        for row in 0..3_usize {
            for column in 0..3_usize {
                let (x, z) = (2.2 * (column as f64 - 1.0), 2.2 * (row as f64 - 2.0));
                balls.push(ball(x, 1.0, z, 1.0, &others[(row + column) % 3]));
            }
        }
        Scene { balls }
    }

    /// The nearest hit.
    fn hit(&self, ray: &Ray) -> Option<Hit> {
        let mut nearest: Option<Hit> = None;
        for ball in &self.balls {
            let end = nearest.as_ref().map_or(f64::INFINITY, |hit| hit.distance);
            if let Some(distance) = ball.distance(ray, end) {
                nearest = Some(Hit {
                    distance,
                    ball: ball.clone(),
                    material: ball.material.clone(),
                });
            }
        }
        nearest
    }

    /// The colour that comes along the ray.
    fn light(&self, ray: &Ray, left: u32, chance: &mut Rng) -> Vector {
        let Some(hit) = self.hit(ray) else {
            let height = 0.5 * (ray.direction.0[1] + 1.0);
            return Vector([1.0 - 0.5 * height, 1.0 - 0.3 * height, 1.0]);
        };
        if left == 0 {
            return Vector([0.0; 3]);
        }
        let place = ray.from + ray.direction.times(hit.distance);
        let normal = (place - hit.ball.centre).times(1.0 / hit.ball.radius);
        let mirrored = ray.direction - normal.times(2.0 * ray.direction.dot(normal));
        let rough = normal + in_all_directions(chance);
        let share = hit.material.roughness;
        let ray = Ray {
            from: place,
            direction: (mirrored.times(1.0 - share) + rough.times(share)).unit(),
        };
        hit.material.colour * self.light(&ray, left - 1, chance)
    }
}

/// Shorter than 1.
fn in_all_directions(chance: &mut Rng) -> Vector {
    loop {
        let it = Vector([(); 3].map(|()| 2.0 * chance.f64() - 1.0));
        if it.dot(it) < 1.0 {
            return it;
        }
    }
}

/// The picture's points, three bytes each.
fn picture(width: u64, samples: u64) -> Vec<u8> {
    let height = (width * 3 / 4).max(1);
    let scene = Scene::new();
    let mut chance = Rng::with_seed(SEED);
    let mut points = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let mut sum = Vector([0.0; 3]);
            for _ in 0..samples {
                let across = (x as f64 + chance.f64()) / width as f64 - 0.5;
                let up = 0.5 - (y as f64 + chance.f64()) / height as f64;
                let ray = Ray {
                    from: Vector([0.0, 2.0, 8.0]),
                    direction: Vector([0.7 * across, 0.5 * up - 0.1, -1.0]).unit(),
                };
                sum = sum + scene.light(&ray, BOUNCES, &mut chance);
            }
            let colour = sum.times(1.0 / samples as f64);
            points.extend(colour.0.map(|it| (it.sqrt() * 255.0) as u8));
        }
    }
    points
}

pub(super) fn run(run: &Run) -> u64 {
    digest(0, &picture(run.count("width"), run.count("samples")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_hits_the_ball_before_it() {
        let scene = Scene::new();
        let ray = Ray {
            from: Vector([0.0, 1.0, 8.0]),
            direction: Vector([0.0, 0.0, -1.0]),
        };
        let hit = scene.hit(&ray).unwrap();
        assert!((hit.distance - 7.0).abs() < 1e-9, "{}", hit.distance);
        assert_eq!(hit.ball.centre.0, [0.0, 1.0, 0.0]);
    }

    #[test]
    fn there_is_sky_above_and_something_else_below() {
        let points = picture(16, 4);
        let (top, bottom) = (&points[..3], &points[points.len() - 3..]);
        assert!(top[2] > 250 && bottom[2] < 250, "{top:?} {bottom:?}");
    }
}
