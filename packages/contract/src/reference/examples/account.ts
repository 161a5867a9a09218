import { linkCallback } from "../../operations/linkCallback.ts"
import { linkStart } from "../../operations/linkStart.ts"
import { usage } from "../../operations/usage.ts"
import type { Examples } from "../Example.ts"

export const account: Examples = {
  [usage.id]: [
    {
      variables: [{ name: "start_time", is: { shell: "$(($(date +%s) - 86400))" }, like: "1767225600" }],
      query: { start_time: "$start_time" }
    }
  ],
  [linkStart.id]: [{ body: { scopes: ["follows.write", "users.read"] } }],
  [linkCallback.id]: [
    {
      needs: "The user's browser makes this call. Here a second curl stands in for it, which the sandbox allows.",
      variables: [
        {
          name: "auth_url",
          is: { answerTo: linkStart.id, read: "auth_url" },
          like: "http://127.0.0.1:8787/platform/authorize?state=1"
        },
        {
          name: "callback",
          is: { shell: `$(curl -s -o /dev/null -w '%{redirect_url}' "$auth_url&decision=approve")` },
          like: "http://127.0.0.1:8787/callback"
        }
      ],
      address: "$callback",
      query: { state: "k3J", code: "9fX" }
    }
  ]
}
