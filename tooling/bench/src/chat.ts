import { contest } from "./contest.ts"
import { conversation, path } from "./conversation.ts"
import { post } from "./load.ts"
import { portkey, version } from "./portkey.ts"
import { program } from "./program.ts"

// Chat completions, compared with a popular gateway that does no authentication, metering or limiting; Tollgate does all three.
const upstream = await program("upstream", "chat")
const address = `http://127.0.0.1:${upstream.port}`
const request = post(path, conversation)
const peer = portkey()

await contest("chat completions", "chat.json", [
  { name: "bare node:http + undici", start: () => program("bare", address), request },
  { name: "tollgate, billing on", start: () => program("tollgate", address, "billing"), request },
  ...(peer === undefined
    ? []
    : [
        {
          name: `@portkey-ai/gateway ${version} (no auth, metering or limits)`,
          start: peer,
          request: post(path, conversation, ["x-portkey-provider: openai", `x-portkey-custom-host: ${address}/v1`])
        }
      ])
])
upstream.stop()
