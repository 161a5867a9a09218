import { Picture } from "./Picture.ts"

const picture = new Picture({
  name: "configuration",
  title: "Where a change of the configuration goes",
  width: 800,
  height: 400
})

const size = { width: 190, height: 64 }

const file = picture.box({ x: 20, y: 40, ...size }, "plain", "Configuration file", "an edit and a reload")
const console = picture.box({ x: 20, y: 140, ...size }, "plain", "Console, admin API", "write the file")

picture.area({ x: 240, y: 16, width: 320, height: 214 }, "One gateway")
const check = picture.box({ x: 256, y: 64, width: 130, height: 64 }, "own", "Check", "all of the file")
const replace = picture.box({ x: 412, y: 64, width: 132, height: 64 }, "own", "Replace", "for new calls")
const refused = picture.box({ x: 256, y: 154, width: 130, height: 58 }, "warn", "Not valid", "the old one stays")
const running = picture.box({ x: 412, y: 154, width: 132, height: 58 }, "plain", "Calls that run", "end with the old")

picture.arrow([file.right, [240, 72]])
picture.arrow([console.right, [224, 172], [224, 104], [240, 104]])
picture.arrow([check.right, replace.left])
picture.arrow([check.bottom, refused.top])
picture.arrow([replace.bottom, running.top], { isDashed: true })

const store = picture.box({ x: 610, y: 58, width: 170, height: 76 }, "own", "Store", "a digest of", "each section")
picture.arrow([replace.right, store.left])
picture.arrow([store.bottom, [695, 262]])
picture.label([687, 196], "within 2 s", "end")

picture.area({ x: 20, y: 262, width: 760, height: 122 }, "The other gateways compare, and read their own file")
picture.box({ x: 36, y: 300, width: 230, height: 68 }, "own", "The same sections", "ready")
picture.box({ x: 285, y: 300, width: 230, height: 68 }, "plain", "The previous ones", "ready for an hour")
picture.box({ x: 534, y: 300, width: 230, height: 68 }, "warn", "Others, or no file", "/readyz answers 503")

export const configuration = picture
