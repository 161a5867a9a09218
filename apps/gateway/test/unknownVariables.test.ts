import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { ofOtherPrograms, refusedVariables, variables } from "../src/settings/variables.ts"
import { folder, removeFolders, start } from "./program.ts"
import { startGateway, tollgate } from "./tollgate.ts"

afterAll(removeFolders)
afterEach(() => vi.restoreAllMocks())

const stderr = (): { text: string } => {
  const written = { text: "" }
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.text += String(text)
    return true
  })
  return written
}

describe("a variable that is not a setting is named in one line, and nothing else changes", () => {
  it("at the start, with the setting that was probably meant", async () => {
    const written = stderr()
    const gateway = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_PROT: "1" })
    await gateway.stop()
    expect(written.text).toBe("TOLLGATE_PROT is not a setting; did you mean TOLLGATE_PORT?\n")
  })

  it("for a command, in a process of its own, apart from its output", async () => {
    const { code, stderr, stdout } = await start({ TOLLGATE_DTAA: folder() }, ["--version"]).ended
    expect(stderr).toBe("TOLLGATE_DTAA is not a setting; did you mean TOLLGATE_DATA?\n")
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+\n$/)])
  })

  it("each of several, never with its value", async () => {
    const written = stderr()
    await tollgate(
      { TOLLGATE_ZZZZZZZZZZZZZZZZZZZZ: "s3cret", TOLLGATE_ADMIN_TOKENS: "s3cret", TOLLGATE_1: "", TOLLGATE: "x" },
      "--version"
    )
    expect(written.text.split("\n")).toEqual([
      "TOLLGATE is not a setting; it is ignored",
      "TOLLGATE_ADMIN_TOKENS is not a setting; did you mean TOLLGATE_ADMIN_TOKEN?",
      "TOLLGATE_ZZZZZZZZZZZZZZZZZZZZ is not a setting; it is ignored",
      ""
    ])
  })

  it("but not one that the configuration file names, nor those of the client", async () => {
    const written = stderr()
    const file = join(folder(), "config.json")
    writeFileSync(file, JSON.stringify({ upstreams: { a: { key: "TOLLGATE_UPSTREAM_KEY" } } }))
    await tollgate(
      { TOLLGATE_CONFIG: file, TOLLGATE_UPSTREAM_KEY: "k", TOLLGATE_KEY: "k", TOLLGATE_BASE_URL: "http://h" },
      "--version"
    )
    expect(written.text).toBe("")
  })
})

describe("the list of variables is complete", () => {
  const sources = join(import.meta.dirname, "../src")
  const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8")
  const inSources = new Set(
    readdirSync(sources, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .flatMap(
        (entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").match(/\bTOLLGATE_[A-Z0-9_]+/g) ?? []
      )
  )

  it("what the program names is in variables.ts", () => {
    const listed = new Set<string>([...Object.keys(variables), ...ofOtherPrograms, ...Object.keys(refusedVariables)])
    expect([...inSources].filter((name) => !listed.has(name))).toEqual([])
  })

  it("docs/settings.md has a line for each, and for no other", () => {
    const described = [...page.matchAll(/^\| `(TOLLGATE_[A-Z0-9_]+)`/gm)].map(([, name]) => name)
    expect(described.toSorted()).toEqual(Object.keys(variables).toSorted())
  })
})
