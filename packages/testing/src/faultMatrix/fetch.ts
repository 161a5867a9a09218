import { key } from "../TestGateway.ts"
import { field, callerResult, nameOf, truncated } from "./CallerResult.ts"
import { chat, content, costState, message, video, type ClientCall, type ClientCalls } from "./ClientCalls.ts"

/** Plain `fetch` with the error handling that most programs have. */
const fetchCall =
  (path: string, body?: object): ClientCall =>
  async (baseUrl, limitMillis) => {
    try {
      const response = await fetch(baseUrl + path, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-tollgate-async": "enable" },
        signal: AbortSignal.timeout(limitMillis),
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const { headers, ok, status } = response
      if (/event-stream/.test(headers.get("content-type") ?? "")) {
        const text = await response.text()
        return callerResult(
          text.includes('"error"') ? "an error among the events" : text.includes("[DONE]") ? "answer" : truncated
        )
      }
      const answer: unknown = await response.json()
      const code = [field(answer, "error", "code"), field(answer, "code")].find((code) => typeof code === "string")
      return ok
        ? callerResult("answer", { charge: headers.get(costState) })
        : callerResult("Response", {
            status,
            code,
            requestId: headers.get("x-request-id"),
            charge: headers.get(costState)
          })
    } catch (error) {
      return callerResult(nameOf(error))
    }
  }

export const raw: ClientCalls = {
  whole: fetchCall("/v1/chat/completions", chat),
  stream: fetchCall("/v1/chat/completions", { ...chat, stream: true }),
  usage: fetchCall("/v1/usage?start_time=1"),
  data: fetchCall("/apis/v1/reseller/social_b/v2/fetch_user_stories?user=a"),
  openai: fetchCall("/v1/chat/completions", chat),
  anthropic: fetchCall("/v1/messages", message),
  gemini: fetchCall("/v1beta/models/sandbox:generateContent", content),
  task: fetchCall("/apis/v1/services/aigc/video-generation/video-synthesis", video)
}
