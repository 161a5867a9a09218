import { linkCallback } from "../../operations/linkCallback.ts"
import { linkStart } from "../../operations/linkStart.ts"
import { usage } from "../../operations/usage.ts"
import type { Examples } from "../Example.ts"

export const account: Examples = {
  [usage.id]: [
    {
      title: "Since yesterday",
      variables: [
        {
          name: "start_time",
          source: { shell: "$(($(date +%s) - 86400))", typescript: "Math.floor(Date.now() / 1000) - 86_400" },
          sample: "1767225600"
        }
      ],
      query: { start_time: "$start_time" }
    },
    { title: "A window that is over", query: { start_time: "1767225600", end_time: "1769904000" } }
  ],
  [linkStart.id]: [{ body: { scopes: ["follows.write", "users.read"] } }],
  [linkCallback.id]: [
    {
      note: "The user's browser makes this call. Here a second curl takes its place, which the sandbox allows.",
      variables: [
        {
          name: "auth_url",
          source: { answerTo: linkStart.id, read: "auth_url" },
          sample: "http://127.0.0.1:8787/platform/authorize?state=1"
        },
        {
          name: "callback",
          source: { shell: `$(curl -s -o /dev/null -w '%{redirect_url}' "$auth_url&decision=approve")` },
          sample: "http://127.0.0.1:8787/callback"
        }
      ],
      address: "$callback",
      query: { state: "the state of the platform's redirect", code: "the code of the platform's redirect" }
    }
  ]
}
