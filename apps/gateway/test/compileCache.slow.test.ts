import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { folder, removeFolders } from "./program.ts"

afterAll(removeFolders)

const file = join(import.meta.dirname, "../src/compileCache.ts")

/** As a user with this home. */
const kept = (homedir: string, uid = process.getuid?.() ?? -1) => {
  const program = `process.umask(0o077); (await import(${JSON.stringify(file)})).keepCompiled(${JSON.stringify({ homedir, uid })})`
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    env: { PATH: process.env.PATH },
    encoding: "utf8"
  })
  const cache = join(homedir, ".cache/tollgate")
  return { status, stderr, mode: existsSync(cache) ? statSync(cache).mode & 0o777 : undefined }
}

it("compiled code is kept in the user's own home, for this user alone", () => {
  const home = folder()
  expect(kept(home)).toEqual({ status: 0, stderr: "", mode: 0o700 })
  expect(readdirSync(join(home, ".cache/tollgate"))).toHaveLength(1)
})

it("it is not kept in a home of another user, nor in one that cannot be written", () => {
  const home = folder()
  expect(kept(home, 12_345)).toEqual({ status: 0, stderr: "", mode: undefined })
  expect(kept("/dev/null")).toMatchObject({ status: 0, mode: undefined })
  chmodSync(home, 0o500)
  if (process.getuid?.() !== 0) expect(kept(home)).toEqual({ status: 0, stderr: "", mode: undefined })
})
