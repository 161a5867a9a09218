import { transform } from "esbuild"
import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { outdatedNode } from "../src/outdatedNode.ts"
import { folder, removeFolders } from "./program.ts"

afterAll(removeFolders)

const source = join(import.meta.dirname, "../src")

/** The Node of the machine, not the one that the repository installs. */
const machineNode = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((path) => !path.includes("node_modules"))
  .map((path) => join(path, "node"))
  .find((path) => spawnSync(path, ["--version"]).status === 0)
const machineVersion =
  machineNode === undefined ? "" : execFileSync(machineNode, ["--version"], { encoding: "utf8" }).trim().slice(1)
const isOutdated = machineVersion !== "" && outdatedNode(machineVersion) !== undefined
if (!isOutdated) console.log(`Not run: the program on an old Node. This machine has ${machineVersion || "none"}.`)

it("an old Node is told apart by its numbers", () => {
  expect(outdatedNode("20.20.2")).toBe("tollgate needs Node 22.19 or newer; this is 20.20.2")
  expect(outdatedNode("22.9.0")).toBe("tollgate needs Node 22.19 or newer; this is 22.9.0")
  for (const version of ["22.19.0", "22.20.1", "24.0.0", "100.0.0"]) expect(outdatedNode(version)).toBeUndefined()
})

it.skipIf(!isOutdated)("an old Node is told which Node the program needs, and not given a stack", async () => {
  const installed = folder()
  mkdirSync(join(installed, "dist"))
  copyFileSync(join(source, "../package.json"), join(installed, "package.json"))
  for (const name of ["main", "outdatedNode"]) {
    const { code } = await transform(readFileSync(join(source, `${name}.ts`), "utf8"), { loader: "ts" })
    writeFileSync(join(installed, "dist", `${name}.js`), code.replaceAll('.ts"', '.js"'))
  }
  writeFileSync(join(installed, "dist/program.js"), `import "node:no-such-module"`)
  const ended = spawnSync(machineNode ?? "", [join(installed, "dist/main.js")], { encoding: "utf8" })
  expect(ended).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `tollgate needs Node 22.19 or newer; this is ${machineVersion}\n`
  })
})
