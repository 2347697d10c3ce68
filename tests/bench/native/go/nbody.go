// Planets, in place.
package main

import "math"

type body struct{ x, y, z, vx, vy, vz, mass float64 }

// Factors are variables: of constants Go makes exact products.
func planet(x, y, z, vx, vy, vz, mass, year, sun float64) body {
	return body{x, y, z, vx * year, vy * year, vz * year, mass * sun}
}

func advance(bodies []body, dt float64) {
	for i := range bodies {
		b := &bodies[i]
		for j := i + 1; j < len(bodies); j++ {
			c := &bodies[j]
			dx, dy, dz := b.x-c.x, b.y-c.y, b.z-c.z
			d2 := dx*dx + dy*dy + dz*dz
			mag := dt / (d2 * math.Sqrt(d2))
			toB, toC := c.mass*mag, b.mass*mag
			b.vx -= dx * toB
			b.vy -= dy * toB
			b.vz -= dz * toB
			c.vx += dx * toC
			c.vy += dy * toC
			c.vz += dz * toC
		}
	}
	for i := range bodies {
		b := &bodies[i]
		b.x += dt * b.vx
		b.y += dt * b.vy
		b.z += dt * b.vz
	}
}

func energy(bodies []body) float64 {
	if len(bodies) == 0 {
		return 0
	}
	b, rest := bodies[0], bodies[1:]
	kinetic := 0.5 * b.mass * (b.vx*b.vx + b.vy*b.vy + b.vz*b.vz)
	potential := 0.0
	for _, c := range rest {
		dx, dy, dz := b.x-c.x, b.y-c.y, b.z-c.z
		potential += b.mass * c.mass / math.Sqrt(dx*dx+dy*dy+dz*dz)
	}
	return kinetic - potential + energy(rest)
}

func run() string {
	pi, year := 3.141592653589793, 365.24
	sun := 4 * pi * pi
	bodies := []body{
		{0, 0, 0, 0, 0, 0, sun},
		planet(4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
			1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05, 9.54791938424326609e-04, year, sun),
		planet(8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
			-2.76742510726411938e-03, 4.99852801234917238e-03, 2.30417297573763929e-05, 2.85885980666130812e-04, year, sun),
		planet(1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
			2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05, 4.36624404335156298e-05, year, sun),
		planet(1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
			2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05, 5.15138902046611451e-05, year, sun),
	}
	var px, py, pz float64
	for _, b := range bodies {
		px, py, pz = px+b.vx*b.mass, py+b.vy*b.mass, pz+b.vz*b.mass
	}
	bodies[0].vx, bodies[0].vy, bodies[0].vz = -px/sun, -py/sun, -pz/sun
	for i := 0; i < 25000; i++ {
		advance(bodies, 0.01)
	}
	return text(energy(bodies))
}

func main() { bench(run) }
