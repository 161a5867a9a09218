import { Picture } from "./Picture.ts"

const picture = new Picture({ name: "credentials", title: "Who sees which credential", width: 800, height: 400 })

picture.area({ x: 290, y: 16, width: 220, height: 368 }, "Gateway")

const steps = [
  ["Checks it", "by its hash: no key and no", "token is stored in clear"],
  ["Takes it off", "the credential of a caller", "goes no further"],
  ["Adds another", "the provider's key, or the", "token of a linked user"]
] as const

const holders = [
  ["App or agent", "an access token or a key"],
  ["Person", "a sign-in link or a key"],
  ["Operator", "the admin token"]
] as const

const seers = [
  ["Upstream", "sees the provider's key", "of the operator, only"],
  ["Linked platform", "sees the token of", "its own user, only"],
  ["Logs, traces, errors", "see no credential", "of anybody"]
] as const

const middles = [92, 208, 324]

const boxes = steps.map(([title, ...lines], i) =>
  picture.box({ x: 304, y: middles[i]! - 42, width: 192, height: 84 }, "own", title, ...lines)
)
for (const [i, box] of boxes.slice(1).entries()) picture.arrow([boxes[i]!.bottom, box.top])

holders.forEach(([title, sent], i) => {
  const { right } = picture.box({ x: 20, y: middles[i]! - 35, width: 206, height: 70 }, "plain", title, `has ${sent}`)
  picture.arrow([right, [290, right[1]]])
})

seers.forEach(([title, ...lines], i) => {
  const { left } = picture.box({ x: 574, y: middles[i]! - 42, width: 206, height: 84 }, "plain", title, ...lines)
  picture.arrow([[510, left[1]], left], { isDashed: i === 2 })
})

export const credentials = picture
