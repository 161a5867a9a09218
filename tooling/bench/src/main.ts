import { contest } from "./contest.ts"
import { post } from "./load.ts"
import { program } from "./program.ts"
import { path, question } from "./question.ts"

// The cost of the gateway, without and with billing.
const upstream = await program("upstream")
const address = `http://127.0.0.1:${upstream.port}`
const request = post(path, question)

await contest("rerank", "rerank.json", [
  { name: "bare node:http + undici", at: await program("bare", address), request },
  { name: "tollgate, billing off", at: await program("tollgate", address), request },
  { name: "tollgate, billing on", at: await program("tollgate", address, "billing"), request }
])
upstream.stop()
