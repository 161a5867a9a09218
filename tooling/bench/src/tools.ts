import { contest } from "./contest.ts"
import { post } from "./load.ts"
import { program } from "./program.ts"
import { key, path, question } from "./question.ts"
import { call, headers, request } from "./tool.ts"

// The same operation over HTTP and as a tool, so that the ratio is what the tool server costs.
const upstream = await program("upstream")
const address = `http://127.0.0.1:${upstream.port}`

const start = () => program("tollgate", address, "billing")

// A tool that refuses answers 200 too.
const asTool = await start()
const tried = await fetch(`http://127.0.0.1:${asTool.port}/mcp`, {
  method: "POST",
  headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: call
})
const text = await tried.text()
asTool.stop()
if (!text.includes("relevance_score")) throw new Error(`the tool does not work: ${text}`)

await contest("a rerank call over HTTP and as a tool", "tools.json", [
  { name: "HTTP", start, request: post(path, question) },
  { name: "MCP, use", start, request }
])
upstream.stop()
