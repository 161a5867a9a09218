import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** Reports the port to the bench, answers its questions about CPU time and memory, and exits with it. */
export const ready = (port: number): void => {
  process.send?.({ port })
  process.on("message", (asked) => {
    if (asked === "memory") {
      collect()
      const { heapUsed, rss } = process.memoryUsage()
      process.send?.({ memoryBytes: rss, heapBytes: heapUsed })
      return
    }
    const { system, user } = process.cpuUsage()
    process.send?.({ cpuMicros: system + user })
  })
  process.on("disconnect", () => process.exit(0))
}
