import { readFileSync } from "node:fs"

/** Linux counts processor time in hundredths of a second. */
const millisOfTick = 10

/** The processor time that processes have used so far, in milliseconds. Zero for those that are gone. */
export const cpuMillis = (pids: ReadonlyArray<number>): number => {
  let ticks = 0
  for (const pid of pids) {
    try {
      const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")
        .slice(11, 13)
        .map(Number)
      ticks += user + system
    } catch {
      continue
    }
  }
  return ticks * millisOfTick
}
