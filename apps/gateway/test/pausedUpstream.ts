import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const answer = JSON.stringify({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "held",
  choices: [{ index: 0, message: { role: "assistant", content: "Because." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 }
})

/** An upstream that answers when the test says so: the test knows which calls are in flight, on any machine. */
export const pausedUpstream = async () => {
  const held: Array<ServerResponse> = []
  let onArrival = () => {}
  const server = createServer((req, res) => {
    req.resume().once("end", () => {
      held.push(res)
      onArrival()
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** For the gateway's file: chat with the model "held" goes to this upstream. An answer bills ten tokens. */
    config: (usdPerMillion = "1") => ({
      upstreams: { held: { baseUrl, protocol: "openai", private: true } },
      routes: [{ operation: "chat.completions", model: "held", to: [{ upstream: "held" }] }],
      prices: { models: { held: { input: usdPerMillion, output: usdPerMillion } } },
      sandbox: true
    }),
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        onArrival = () => {
          if (held.length >= count) resolve()
        }
        onArrival()
      }),
    answer: () => {
      for (const res of held.splice(0)) res.setHeader("content-type", "application/json").end(answer)
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

export const askHeld = (address: string, key: string) =>
  fetch(`${address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "held", max_tokens: 20, messages: [{ role: "user", content: "Why?" }] })
  })
