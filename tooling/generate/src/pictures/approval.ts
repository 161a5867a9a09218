import { Picture } from "./Picture.ts"

const picture = new Picture({ name: "approval", title: "How a person approves one call", width: 800, height: 520 })

const columns = { app: 110, gateway: 400, person: 690 }

const head = (x: number, tone: "plain" | "own", title: string) =>
  picture.box({ x: x - 90, y: 20, width: 180, height: 44 }, tone, title)

head(columns.app, "plain", "App or agent")
head(columns.gateway, "own", "Gateway")
head(columns.person, "plain", "Person")

for (const x of Object.values(columns)) picture.life(x, 64, 386)

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

message("app", "gateway", 104, "a call above the amount to ask")
message("gateway", "app", 144, "403 approval_required, with a link", true)
picture.box({ x: 320, y: 156, width: 160, height: 48 }, "own", "Waiting", "nothing is reserved")
// Beside the line of the gateway, which it crosses.
picture.arrow([
  [columns.app + 6, 232],
  [columns.person - 6, 232]
])
picture.label([255, 224], "shows the link")
message("gateway", "person", 272, "operation, request, most it can cost", true)
message("person", "gateway", 312, "approves, or denies")
message("app", "gateway", 352, "the same request, the same key")

const endings = [
  ["paid", "Approved", "The call runs, and is charged once. The approval is used."],
  ["plain", "Denied", "The call is refused. Nothing ran, nothing is charged."],
  ["warn", "Expired", "After 15 minutes, or for any other request: it needs a new approval."]
] as const

endings.forEach(([tone, title, meaning], i) => {
  picture.ending({ x: 20, y: 386 + i * 44, width: 760, height: 38 }, tone, title, meaning)
})

export const approval = picture
