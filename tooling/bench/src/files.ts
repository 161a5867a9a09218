import { relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { conversation, path } from "./conversation.ts"
import { program } from "./program.ts"
import { key } from "./question.ts"

// The files of the product of which a function runs while one billed chat completion passes the gateway, once it is warm.
const root = resolve(import.meta.dirname, "../../..")
const product = /^(?:packages|apps)\/[^/]+\/src\//

const upstream = await program("upstream", "chat")
const gateway = await program("tollgate", `http://127.0.0.1:${upstream.port}`, "billing")

const call = async () => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const answer = await fetch(`http://127.0.0.1:${gateway.port}${path}`, { method: "POST", headers, body: conversation })
  if (answer.status !== 200) throw new Error(`the gateway answered ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
}

for (let i = 0; i < 100; i++) await call()
await gateway.ranScripts()
await call()
const scripts = await gateway.ranScripts()
gateway.stop()
upstream.stop()

const files = scripts
  .filter((url) => url.startsWith("file:"))
  .map((url) => relative(root, fileURLToPath(url)))
  .filter((file) => product.test(file))
  .toSorted()
for (const file of files) console.log(file)
console.log(`${files.length} files run for one billed chat completion`)
