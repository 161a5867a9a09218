import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { install } from "../src/install.ts"
import { pack, type Packed } from "../src/pack.ts"
import { program, root } from "../src/program.ts"
import { subpaths } from "../src/subpath.ts"

const project = mkdtempSync(join(tmpdir(), "tollgate-packed-"))
const fixture = (name: string) => join(import.meta.dirname, "fixtures", name)

const options = "--noEmit --strict --skipLibCheck --noUncheckedSideEffectImports --target es2024 --module nodenext"

const nodeTypes = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")]

let packed: ReadonlyArray<Packed> = []

beforeAll(async () => {
  packed = await pack(project)
  await install(packed, project)
}, 300_000)

afterAll(() => rmSync(project, { recursive: true, force: true }), 120_000)

describe("the packed packages", () => {
  it("depend on versions, not on workspace paths", () => {
    for (const { manifest } of packed) expect(JSON.stringify(manifest)).not.toMatch(/"(workspace|catalog|link|file):/)
  })

  it("ship code, declarations, source maps and their sources", () => {
    for (const { files } of packed) {
      const modules = files.filter((file) => /^dist\/.*\.js$/.test(file)).map((file) => file.slice("dist/".length, -3))
      expect(modules).not.toEqual([])
      for (const module of modules)
        expect(files).toEqual(
          expect.arrayContaining([`dist/${module}.d.ts`, `dist/${module}.js.map`, `src/${module}.ts`])
        )
      expect(files.filter((file) => /tsbuildinfo|\.test\.|node_modules/.test(file))).toEqual([])
    }
  })

  it("bring no second copy of effect", () => {
    for (const { manifest, name } of packed) {
      expect(existsSync(join(project, "node_modules", name, "node_modules/effect"))).toBe(false)
      expect(manifest.dependencies?.effect === undefined || manifest.bin !== undefined).toBe(true)
    }
  })

  it("import by every name they export, and by no internal one", { timeout: 120_000 }, async () => {
    const all = packed.map(subpaths)
    const names = { open: all.flatMap(({ open }) => open), refused: all.flatMap(({ refused }) => refused) }
    copyFileSync(fixture("imports.mjs"), join(project, "imports.mjs"))
    const { ok, output } = await program(process.execPath, ["imports.mjs", JSON.stringify(names)], project)
    expect({ ok, output }).toEqual({ ok: true, output: "" })
  })

  it("type-check in a program that uses them", { timeout: 120_000 }, async () => {
    const names = packed.flatMap((one) => subpaths(one).open).filter((name) => !name.endsWith(".json"))
    writeFileSync(join(project, "every.ts"), names.map((name) => `import "${name}"`).join("\n"))
    copyFileSync(fixture("consumer.ts"), join(project, "consumer.ts"))
    const { ok, output } = await program("tsc", [...options.split(" "), "every.ts", "consumer.ts"], project)
    expect({ ok, output }).toEqual({ ok: true, output: "" })
  })

  it("type-check in the examples of the client's page", { timeout: 120_000 }, async () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/client.md"), "utf8")
    const files = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""], i) => {
      writeFileSync(join(project, `page${i}.ts`), code)
      return `page${i}.ts`
    })
    expect(files).toHaveLength(7)
    const { ok, output } = await program("tsc", [...options.split(" "), ...nodeTypes, ...files], project)
    expect({ ok, output }).toEqual({ ok: true, output: "" })
  })

  it("answer the README's own examples", { timeout: 120_000 }, async () => {
    const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8")
    const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? "")
    expect(examples).toHaveLength(2)
    const files = examples.map((code, i) => {
      // The README uses the default address; this gateway listens on a free port.
      const here = code.replaceAll("process.env.TOLLGATE_KEY!", "$&, baseUrl: process.env.TOLLGATE_URL!")
      writeFileSync(join(project, `readme${i}.ts`), here)
      return `readme${i}.ts`
    })
    const checked = await program("tsc", [...options.split(" "), ...nodeTypes, ...files], project)
    expect(checked).toMatchObject({ ok: true, output: "" })
    copyFileSync(fixture("call.mjs"), join(project, "call.mjs"))
    const { ok, output } = await program(process.execPath, ["call.mjs", ...files], project)
    expect({ ok, output: output.trim() }).toEqual({ ok: true, output: "The Nile…\nThe Nile…\nexit 0" })
  })
})
