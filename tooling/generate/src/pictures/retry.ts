import { Picture } from "./Picture.ts"

const picture = new Picture({
  name: "retry",
  title: "A retry with an idempotency key, and what it gets",
  width: 800,
  height: 512
})

const caller = picture.box({ x: 20, y: 20, width: 226, height: 58 }, "plain", "Caller", "repeats with its key")

const steps = [
  [
    ["Key within 24 h?", "one key, one call"],
    ["own", "New key", "The call runs for the first time."],
    ["plain", "Different", "422: the key belongs to another request."]
  ],
  [
    ["How did it end?", "the first call of the key"],
    ["plain", "Still runs", "409, with its id. Ask again."],
    ["own", "Failed", "Nothing was charged, so the call runs again."],
    ["warn", "Unknown", "409: it may have run, and is not sent again."]
  ],
  [
    ["Completed", "charged once"],
    ["paid", "Stored", "The first answer again, free, in the mode replay."],
    ["plain", "Otherwise", "409: no such mode, a stream, or more than 256 KiB."]
  ]
] as const

let above = caller
let y = 110
for (const [[title, line], ...endings] of steps) {
  const step = picture.box(
    { x: 20, y: y + (endings.length * 50 - 6) / 2 - 29, width: 226, height: 58 },
    "own",
    title,
    line
  )
  picture.arrow([above.bottom, step.top])
  endings.forEach(([tone, name, meaning], j) => {
    const ending = picture.ending({ x: 274, y: y + j * 50, width: 506, height: 44 }, tone, name, meaning)
    const [x, middle] = step.right
    picture.arrow([step.right, [x + 14, middle], [x + 14, ending.left[1]], ending.left])
  })
  above = step
  y += endings.length * 50 + 26
}

export const retry = picture
