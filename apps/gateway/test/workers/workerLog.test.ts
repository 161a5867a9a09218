import { expect, it } from "vitest"
import { workerLog } from "../../src/serve/workers/Workers.ts"

it("what is told of workers is JSON if the log is, and only from its level on", () => {
  const lines: Array<string> = []
  const log = workerLog({ format: "json", level: "Warn" }, (line) => lines.push(line))
  log("a worker ended", { worker: 3, how: "ended by SIGKILL" })
  workerLog({ format: "json", level: "Error" }, (line) => lines.push(line))("not told")
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { time: expect.any(String), level: "warn", message: "a worker ended", worker: 3, how: "ended by SIGKILL" }
  ])
})
