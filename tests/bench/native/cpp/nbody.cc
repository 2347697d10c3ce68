// Planets, in place.
#include <cmath>

#include "tests/bench/native/bench.h"

namespace {

struct Body {
  double x, y, z, vx, vy, vz, mass;
};
constexpr double kPi = 3.141592653589793, kSolarMass = 4 * kPi * kPi, kYear = 365.24;

void advance(std::vector<Body>& bodies, double dt) {
  for (size_t i = 0; i < bodies.size(); ++i) {
    Body& b = bodies[i];
    for (size_t j = i + 1; j < bodies.size(); ++j) {
      Body& c = bodies[j];
      double dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
      double d2 = dx * dx + dy * dy + dz * dz;
      double mag = dt / (d2 * std::sqrt(d2)), to_b = c.mass * mag, to_c = b.mass * mag;
      b.vx -= dx * to_b, b.vy -= dy * to_b, b.vz -= dz * to_b;
      c.vx += dx * to_c, c.vy += dy * to_c, c.vz += dz * to_c;
    }
  }
  for (Body& b : bodies) b.x += dt * b.vx, b.y += dt * b.vy, b.z += dt * b.vz;
}

double energy(const std::vector<Body>& bodies, size_t i) {
  if (i == bodies.size()) return 0;
  const Body& b = bodies[i];
  double kinetic = 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz), potential = 0;
  for (size_t j = i + 1; j < bodies.size(); ++j) {
    const Body& c = bodies[j];
    double dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
    potential += b.mass * c.mass / std::sqrt(dx * dx + dy * dy + dz * dz);
  }
  return kinetic - potential + energy(bodies, i + 1);
}

std::string run() {
  std::vector<Body> bodies = {
      {0, 0, 0, 0, 0, 0, kSolarMass},
      {4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
       1.66007664274403694e-03 * kYear, 7.69901118419740425e-03 * kYear,
       -6.90460016972063023e-05 * kYear, 9.54791938424326609e-04 * kSolarMass},
      {8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
       -2.76742510726411938e-03 * kYear, 4.99852801234917238e-03 * kYear,
       2.30417297573763929e-05 * kYear, 2.85885980666130812e-04 * kSolarMass},
      {1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
       2.96460137564761618e-03 * kYear, 2.37847173959480950e-03 * kYear,
       -2.96589568540237556e-05 * kYear, 4.36624404335156298e-05 * kSolarMass},
      {1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
       2.68067772490389322e-03 * kYear, 1.62824170038242295e-03 * kYear,
       -9.51592254519715870e-05 * kYear, 5.15138902046611451e-05 * kSolarMass}};
  double px = 0, py = 0, pz = 0;
  for (const Body& b : bodies) px += b.vx * b.mass, py += b.vy * b.mass, pz += b.vz * b.mass;
  bodies[0].vx = -px / kSolarMass, bodies[0].vy = -py / kSolarMass, bodies[0].vz = -pz / kSolarMass;
  for (int i = 0; i < 25'000; ++i) advance(bodies, 0.01);
  return bench::text(energy(bodies, 0));
}

}  // namespace

int main(int, char** argv) { return bench::main(argv, run); }
