import { key } from "../TestGateway.ts"
import { field, learned, nameOf, part } from "./learned.ts"
import { chat, content, costState, message, video, type Way, type Ways } from "./way.ts"

/** With as much around it as most programs have. */
const fetched =
  (path: string, body?: object): Way =>
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
        return learned(
          text.includes('"error"') ? "an error among the events" : text.includes("[DONE]") ? "answer" : part
        )
      }
      const answer: unknown = await response.json()
      const code = [field(answer, "error", "code"), field(answer, "code")].find((code) => typeof code === "string")
      return ok
        ? learned("answer", { charge: headers.get(costState) })
        : learned("Response", { status, code, requestId: headers.get("x-request-id"), charge: headers.get(costState) })
    } catch (error) {
      return learned(nameOf(error))
    }
  }

export const raw: Ways = {
  whole: fetched("/v1/chat/completions", chat),
  stream: fetched("/v1/chat/completions", { ...chat, stream: true }),
  usage: fetched("/v1/usage?start_time=1"),
  data: fetched("/apis/v1/reseller/social_b/v2/fetch_user_stories?user=a"),
  openai: fetched("/v1/chat/completions", chat),
  anthropic: fetched("/v1/messages", message),
  gemini: fetched("/v1beta/models/sandbox:generateContent", content),
  task: fetched("/apis/v1/services/aigc/video-generation/video-synthesis", video)
}
