import { chmodSync, mkdtempSync, readFileSync, statfsSync } from "node:fs"
import { join } from "node:path"

const memory = "/dev/shm"

/** All that tests write at a time, with room for the tests themselves. */
const neededBytes = 8 * 2 ** 30

const hasRoom = (): boolean => {
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, process.availableMemory()) > neededBytes
}

/** Tests start programs that they have installed there. */
const runsPrograms = (): boolean => {
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .findLast(([, place]) => place === memory)
  return mount !== undefined && !mount[3]?.split(",").includes("noexec")
}

/**
 * A new folder in memory for what tests write, if there is room. They write thousands of small databases, and wait for the disk
 * otherwise. What they check does not need one: a program that is killed leaves there what it would leave on a disk.
 */
export const memoryFolder = (): string | undefined => {
  try {
    if (!hasRoom() || !runsPrograms()) return undefined
    const folder = mkdtempSync(join(memory, "tollgate-"))
    // As the usual folder is: PostgreSQL runs as a user of its own.
    chmodSync(folder, 0o1777)
    return folder
  } catch {
    return undefined
  }
}
