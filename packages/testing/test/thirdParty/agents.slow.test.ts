import type Anthropic from "@anthropic-ai/sdk"
import type OpenAI from "openai"
import { readFileSync } from "node:fs"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parse as parseToml } from "smol-toml"
import { describe, expect, expectTypeOf, it } from "vitest"

const page = readFileSync(new URL("../../../../docs/agents.md", import.meta.url), "utf8")

const blocks = new Map(
  [...page.matchAll(/^```(json|toml) file=(\S+)\n([^]*?)^```$/gm)].map(([, language, file = "", text = ""]) => [
    file,
    language === "toml" ? parseToml(text) : (JSON.parse(text) as unknown)
  ])
)

const url = "https://gateway.example.com/mcp"
const address = Schema.Literal(url)
const bearer = (value: string) => Schema.Struct({ Authorization: Schema.Literal(`Bearer ${value}`) })
const server = <S extends Schema.Top>(schema: S) => Schema.Struct({ mcpServers: Schema.Struct({ tollgate: schema }) })

/** The fields that each agent documents. */
const forms = {
  ".mcp.json": server(
    Schema.Struct({ type: Schema.Literal("http"), url: address, headers: bearer("${TOLLGATE_KEY}") })
  ),
  "claude_desktop_config.json": server(
    Schema.Struct({
      command: Schema.String,
      args: Schema.Array(Schema.String),
      env: Schema.Record(Schema.String, Schema.String)
    })
  ),
  ".cursor/mcp.json": server(Schema.Struct({ url: address, headers: bearer("${env:TOLLGATE_KEY}") })),
  ".vscode/mcp.json": Schema.Struct({
    inputs: Schema.Array(
      Schema.Struct({
        type: Schema.Literal("promptString"),
        id: Schema.Literal("tollgate-key"),
        description: Schema.String,
        password: Schema.Literal(true)
      })
    ),
    servers: Schema.Struct({
      tollgate: Schema.Struct({
        type: Schema.Literal("http"),
        url: address,
        headers: bearer("${input:tollgate-key}")
      })
    })
  }),
  "config.toml": Schema.Struct({
    mcp_servers: Schema.Struct({
      tollgate: Schema.Struct({ url: address, bearer_token_env_var: Schema.Literal("TOLLGATE_KEY") })
    })
  }),
  "openai.json": Schema.Struct({
    type: Schema.Literal("mcp"),
    server_label: Schema.String,
    server_url: address,
    authorization: Schema.String,
    require_approval: Schema.Literal("always")
  }),
  "anthropic.json": Schema.Struct({
    mcp_servers: Schema.mutable(
      Schema.Array(
        Schema.Struct({
          type: Schema.Literal("url"),
          name: Schema.Literal("tollgate"),
          url: address,
          authorization_token: Schema.String
        })
      )
    ),
    tools: Schema.mutable(
      Schema.Array(Schema.Struct({ type: Schema.Literal("mcp_toolset"), mcp_server_name: Schema.Literal("tollgate") }))
    )
  })
}

describe("docs/agents.md", () => {
  it("has a snippet of each of these forms, and no other", () => {
    expect([...blocks.keys()].toSorted()).toEqual(Object.keys(forms).toSorted())
  })

  it("has programs' snippets that the official SDKs take", () => {
    expectTypeOf<(typeof forms)["openai.json"]["Type"]>().toExtend<OpenAI.Responses.Tool.Mcp>()
    expectTypeOf<(typeof forms)["anthropic.json"]["Type"]>().toExtend<
      Pick<Anthropic.Beta.Messages.MessageCreateParams, "mcp_servers" | "tools">
    >()
  })

  it.each(Object.entries(forms))("%s has the fields that its agent reads, and no other", (file, form) => {
    const decoded = Schema.decodeUnknownResult(form as Schema.Codec<unknown, unknown>)(blocks.get(file), {
      onExcessProperty: "error"
    })
    expect(Result.isSuccess(decoded) ? "" : String(decoded.failure)).toBe("")
  })
})
