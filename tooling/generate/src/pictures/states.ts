import { Picture } from "./Picture.ts"

const picture = new Picture({ name: "states", title: "The states of a call in the ledger", width: 800, height: 424 })

const size = { width: 190, height: 62 }

const reserve = picture.box({ x: 20, y: 64, ...size }, "plain", "Reservation", "the most that it can cost")
const refused = picture.box({ x: 20, y: 176, ...size }, "plain", "refused", "before it was sent")
const replayed = picture.box({ x: 20, y: 288, ...size }, "plain", "replayed", "has the answer of another")

picture.area({ x: 262, y: 20, width: 222, height: 240 }, "Under way")
const open = picture.box({ x: 278, y: 64, ...size }, "own", "open", "the call runs")
const running = picture.box({ x: 278, y: 176, ...size }, "own", "running", "a task that goes on")

const settled = picture.box({ x: 584, y: 64, ...size }, "paid", "settled", "charged, by evidence")
const released = picture.box({ x: 584, y: 176, ...size }, "plain", "released", "costs nothing")
const unknown = picture.box({ x: 584, y: 288, ...size }, "warn", "unknown", "holds no money")

picture.arrow([reserve.right, open.left])
picture.arrow([reserve.bottom, refused.top])
picture.arrow([[20, 95], [8, 95], [8, 319], replayed.left])
picture.arrow([open.bottom, running.top])

picture.arrow([[484, 95], settled.left])
picture.label([534, 87], "proof of cost")
picture.arrow([[484, 207], released.left])
picture.label([534, 199], "proof of none")
picture.arrow([[373, 260], [373, 319], unknown.left])
picture.label([480, 311], "no proof: a crash, no answer")
picture.arrow([unknown.top, released.bottom], { isDashed: true })
picture.arrow(
  [
    [774, 319],
    [788, 319],
    [788, 95],
    [774, 95]
  ],
  { isDashed: true }
)
picture.label(
  [400, 392],
  "Dashed: the end of an unknown call becomes known after all. It is then charged once, or not at all."
)

export const states = picture
