import { contest } from "./contest.ts"
import { post } from "./load.ts"
import { program } from "./program.ts"
import { path, question } from "./question.ts"

// The cost of the gateway, without and with billing.
const upstream = await program("upstream")
const address = `http://127.0.0.1:${upstream.port}`
const request = post(path, question)

await contest("rerank", "rerank.json", [
  { name: "bare node:http + undici", start: () => program("bare", address), request },
  { name: "tollgate, billing off", start: () => program("tollgate", address), request },
  { name: "tollgate, billing on", start: () => program("tollgate", address, "billing"), request }
])
upstream.stop()
