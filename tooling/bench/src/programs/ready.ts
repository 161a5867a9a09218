import { Session } from "node:inspector/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const session = new Session()
let isCounting = false

/** The scripts of which a function has run since this was asked last. */
const ranScripts = async (): Promise<ReadonlyArray<string>> => {
  if (!isCounting) {
    session.connect()
    await session.post("Profiler.enable")
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    isCounting = true
  }
  const { result } = await session.post("Profiler.takePreciseCoverage")
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .map(({ url }) => url)
}

/** Reports the port to the bench, answers its questions about CPU time, memory and scripts, and exits with it. */
export const ready = (port: number): void => {
  process.send?.({ port })
  process.on("message", (asked) => {
    if (asked === "memory") {
      collect()
      const { heapUsed, rss } = process.memoryUsage()
      process.send?.({ memoryBytes: rss, heapBytes: heapUsed })
      return
    }
    if (asked === "scripts") {
      void ranScripts().then((scripts) => process.send?.({ scripts }))
      return
    }
    const { system, user } = process.cpuUsage()
    process.send?.({ cpuMicros: system + user })
  })
  process.on("disconnect", () => process.exit(0))
}
