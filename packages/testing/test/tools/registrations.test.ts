import { expect, it } from "@effect/vitest"
import { callTool, ask } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as McpServer from "effect/ai/McpServer"
import * as Effect from "effect/Effect"

const greeting = McpServer.prompt({ name: "greeting", content: () => Effect.succeed("Say hello.") })

it.live("a program can add prompts beside the five tools", () =>
  Effect.gen(function* () {
    const { messages } = yield* ask("prompts/get", { name: "greeting" })
    expect(messages[0]?.result?.["messages"]).toMatchObject([{ content: { text: "Say hello." } }])
    expect((yield* callTool("list_categories", {})).isError).toBe(false)
  }).pipe(Effect.provide(servedSandbox({}, { registrations: greeting })))
)
