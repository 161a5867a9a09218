import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { afterAll, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, start } from "./program.ts"

afterAll(removeFolders)

const bash = promisify(execFile)
const page = readFileSync(new URL("../../../docs/agents.md", import.meta.url), "utf8")

it("the first command of the page about the tools works as it is", async () => {
  const program = start({ TOLLGATE_DATA: folder() })
  try {
    const banner = await program.started
    const [, command = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? []
    const { stdout } = await bash(
      "bash",
      ["-c", `${command.replace("http://127.0.0.1:8787", addressIn(banner)).trimEnd()} --silent --show-error --fail`],
      { env: { ...process.env, TOLLGATE_KEY: keyIn(banner) } }
    )
    const { result } = JSON.parse(stdout) as {
      result: { isError: boolean; content: ReadonlyArray<{ text: string }> }
    }
    const { results } = JSON.parse(result.content[0]?.text ?? "") as {
      results: ReadonlyArray<{ operation_id: string }>
    }
    expect([result.isError, results[0]?.operation_id]).toEqual([false, "rerank"])
  } finally {
    await program.stop()
  }
})
