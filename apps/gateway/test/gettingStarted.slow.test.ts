import { afterAll, afterEach, describe, expect, it } from "vitest"
import { stepsIn } from "./guide/blocks.ts"
import { newReader, read } from "./guide/newReader.ts"
import type { Reader } from "./guide/Reader.ts"
import { removeFolders } from "./program.ts"

const page = read("docs/getting-started.md")

afterAll(removeFolders)

const readers: Array<Reader> = []
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.leave()
})

const follow = async (guide: string): Promise<string> => {
  const reader = await newReader()
  readers.push(reader)
  return reader.follow(stepsIn(guide))
}

describe("the guide", () => {
  it("shows what its commands print", async () => {
    expect(await follow(page)).toBe("")
  })

  it("is linked first after the command that starts the gateway", () => {
    const [, after = ""] = read("README.md").split("## Run it\n")
    expect(/\]\(([^)]+)\)/.exec(after)?.[1]).toBe("docs/getting-started.md")
  })
})

describe("a guide is wrong if", () => {
  const shell = (command: string, shown: string, language = "text") =>
    `\`\`\`sh\n${command}\n\`\`\`\n\n\`\`\`${language}\n${shown}\n\`\`\`\n`

  const wrong = {
    "a command fails": shell("echo a; false", "a"),
    "a command is unknown": shell("tolgate start", "a"),
    "a command prints something else": shell("echo b", "a"),
    "a command prints more": shell("echo a; echo b", "a"),
    "a command prints what is not shown": "```sh\necho a\n```\n",
    "a command prints other JSON": shell(`echo '{"a":[1,2]}'`, `{ "a": [1, 3] }`, "json"),
    "a command prints no JSON": shell("echo a", `{ "a": "…" }`, "json"),
    "a command needs an id that nobody printed": shell('case acct_… in *…) exit 1;; esac; echo "a"', "a"),
    "a variable is not set": shell('set -u; echo "$TOLLGATE_KEY"', "…"),
    "a program ends that should serve": "```sh terminal=one\nexit 3\n```\n\n```text\na\n```\n",
    "it uses another version of pnpm": shell("npx --yes pnpm@1.0.0 start --version", "…")
  }
  for (const [name, guide] of Object.entries(wrong))
    it(name, async () => {
      expect(await follow(guide)).toMatch(/^line 1: /)
    })

  it("a block is no command, no file and nothing that is printed", () => {
    expect(() => stepsIn("```yaml\na: 1\n```\n")).toThrow("line 1")
  })

  const right = {
    "times differ": shell("echo 2026-01-02T03:04:05Z", "2020-01-01T00:00:00Z"),
    "columns are wider": shell("echo 'a     b'", "a  b"),
    "lines are left out": shell("printf 'a\\nb\\nc\\nd\\n'", "a\n…\nd"),
    "values are left out": shell(`echo '{"a":{"b":1},"c":"id_1"}'`, `{ "a": "…", "c": "id_…" }`, "json"),
    "a variable is set before": "```sh\nexport A=1\ncd /\n```\n" + shell("echo $A $PWD", "1 /")
  }
  for (const [name, guide] of Object.entries(right))
    it(`but not if ${name}`, async () => {
      expect(await follow(guide)).toBe("")
    })
})
