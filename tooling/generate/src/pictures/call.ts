import { Picture } from "./Picture.ts"

const picture = new Picture({
  name: "call",
  title: "The life of a call, and each way it ends",
  width: 800,
  height: 640
})

const caller = picture.box({ x: 20, y: 20, width: 226, height: 56 }, "plain", "Caller", "sends a request with a key")

const steps = [
  [
    ["Check", "key, limits, request, price"],
    ["plain", "Refused", "401, 403, 422, 429. Nothing ran, nothing is charged."],
    ["plain", "Quote", "The caller asked only for the price. Nothing ran."]
  ],
  [
    ["Reserve", "the most that it can cost"],
    ["plain", "Cannot pay", "402: above the cap, the budget or the balance."],
    ["plain", "Seen before", "Same idempotency key: the first answer again, free."]
  ],
  [
    ["Call the upstream", "what may have run, only once"],
    ["plain", "Failed", "The upstream says that it failed. Nothing is charged."],
    ["warn", "Unknown", "No answer: it may have run. Charged only on proof."]
  ],
  [
    ["Settle", "by what the answer proves"],
    ["paid", "Charged", "Once, never above the cap. The rest is free again."],
    ["paid", "Caller left", "Charged for what ran, by what the upstream reports."],
    ["plain", "No proof", "502: the answer shows no cost. Nothing is charged."]
  ]
] as const

let above = caller
steps.forEach(([[title, line], ...endings], i) => {
  const y = 112 + i * 120
  const step = picture.box({ x: 20, y: y + endings.length * 26 - 33, width: 226, height: 58 }, "own", title, line)
  picture.arrow([above.bottom, step.top])
  endings.forEach(([tone, name, meaning], j) => {
    const ending = picture.ending({ x: 274, y: y + j * 52, width: 506, height: 44 }, tone, name, meaning)
    const [x, middle] = step.right
    picture.arrow([step.right, [x + 14, middle], [x + 14, ending.left[1]], ending.left])
  })
  above = step
})

export const call = picture
