import { Picture } from "./Picture.ts"

const picture = new Picture({
  name: "gateways",
  title: "Many gateways behind a load balancer, on one store",
  width: 800,
  height: 352
})

const callers = picture.box({ x: 20, y: 150, width: 124, height: 64 }, "plain", "Callers", "apps, agents")
const balancer = picture.box(
  { x: 188, y: 140, width: 150, height: 84 },
  "plain",
  "Load balancer",
  "asks /readyz, sends",
  "no call twice"
)
picture.arrow([callers.right, balancer.left])
picture.area({ x: 382, y: 16, width: 172, height: 318 }, "One configuration")
for (const [i, y] of [50, 145, 240].entries()) {
  const gateway = picture.box({ x: 398, y, width: 140, height: 74 }, "own", `Gateway ${i + 1}`, "or a worker")
  const [x, middle] = balancer.right
  picture.arrow([balancer.right, [x + 22, middle], [x + 22, gateway.left[1]], gateway.left])
}

const upstreams = picture.box({ x: 610, y: 34, width: 170, height: 70 }, "plain", "Upstreams", "models, data, video")
const store = picture.box(
  { x: 610, y: 136, width: 170, height: 92 },
  "own",
  "PostgreSQL",
  "ledger, keys, tasks:",
  "each call charged once"
)
const redis = picture.box(
  { x: 610, y: 260, width: 170, height: 70 },
  "plain",
  "Redis, if you like",
  "counts the limits"
)
for (const { left } of [upstreams, store]) picture.arrow([[554, left[1]], left])
picture.arrow([[554, redis.left[1]], redis.left], { isDashed: true })

export const gateways = picture
