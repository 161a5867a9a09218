/** A chat completion of typical size, and the upstream's response. */
export const path = "/v1/chat/completions"
export const model = "bench"
/** Another protocol's upstream has it. */
export const translated = "bench-translated"

const messages = [
  { role: "system", content: "You are a helpful assistant who answers in a few sentences and never makes things up." },
  { role: "user", content: "Which river is the longest, and by how much? Say where the figures come from, please." }
]

export const conversation = JSON.stringify({ model, messages, max_tokens: 256 })
export const streamed = JSON.stringify({ model, messages, max_tokens: 256, stream: true })
export const streamedAtOnce = JSON.stringify({ model, messages, max_tokens: 1, stream: true })

export const usage = { prompt_tokens: 52, completion_tokens: 60, total_tokens: 112 }

export const answer = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "The Nile is usually named first, at about 6,650 kilometres. ".repeat(5) },
      finish_reason: "stop"
    }
  ],
  usage
})
