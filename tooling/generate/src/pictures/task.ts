import { Picture } from "./Picture.ts"

const picture = new Picture({
  name: "task",
  title: "A task, such as a video: how it starts, is watched, and ends",
  width: 800,
  height: 560
})

const columns = { caller: 110, gateway: 400, upstream: 690 }

const head = (x: number, tone: "plain" | "own", title: string) =>
  picture.box({ x: x - 90, y: 20, width: 180, height: 44 }, tone, title)

head(columns.caller, "plain", "Caller")
head(columns.gateway, "own", "Gateway")
head(columns.upstream, "plain", "Upstream")

for (const x of Object.values(columns)) picture.life(x, 64, 344)
picture.box({ x: 310, y: 120, width: 180, height: 50 }, "own", "Reserve", "the most that it can cost")

const message = (from: keyof typeof columns, to: keyof typeof columns, y: number, text: string, isDashed = false) => {
  const inset = columns[from] < columns[to] ? 6 : -6
  picture.arrow(
    [
      [columns[from] + inset, y],
      [columns[to] - inset, y]
    ],
    { isDashed }
  )
  picture.label([(columns[from] + columns[to]) / 2, y - 8], text)
}

message("caller", "gateway", 104, "create")
message("gateway", "upstream", 200, "start it, once")
message("upstream", "gateway", 234, "the id of the task", true)
message("gateway", "caller", 268, "the id, at once", true)
message("gateway", "upstream", 310, "poll until it ends,")
picture.label([545, 328], "also after a restart")
message("caller", "gateway", 328, "poll, free")

const endings = [
  ["paid", "SUCCEEDED", "Charged once, in full or by what the task reports."],
  ["plain", "FAILED", "Nothing is charged."],
  ["plain", "CANCELED", "Charged what the upstream reports for it, or nothing."],
  ["warn", "Lost", "Unknown for ten minutes, or no end after a day. Nothing is charged unless it ends after all."]
] as const

endings.forEach(([tone, title, meaning], i) => {
  picture.ending({ x: 20, y: 360 + i * 48, width: 760, height: 40 }, tone, title, meaning)
})

export const task = picture
