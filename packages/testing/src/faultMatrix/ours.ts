import type { Charge } from "@tollgate/contract/Outcome"
import { createClient } from "@tollgate/node"
import { key } from "../TestGateway.ts"
import { field, type Learned, learned, nameOf } from "./learned.ts"
import { chat, content, message, video, type Way, type Ways } from "./way.ts"

type Ours = ReturnType<typeof createClient>

const told =
  (charge?: string) =>
  (error: unknown): Learned =>
    learned(String(field(error, "_tag") ?? nameOf(error)), {
      status: field(error, "status"),
      code: field(error, "code"),
      requestId: field(error, "requestId"),
      outcome: field(error, "outcome"),
      charge: field(error, "charge", "state") ?? charge
    })

const ours =
  (call: (client: Ours, limitMillis: number) => Promise<Learned>): Way =>
  (baseUrl, deadlineMillis) => {
    const client = createClient({ apiKey: key, baseUrl, deadlineMillis })
    return call(client, deadlineMillis).finally(client.close)
  }

const oursWhole = (call: (client: Ours) => Promise<unknown>): Way =>
  ours((client) => call(client).then(() => learned("answer"), told()))

const oursStreamed = ours(async (client, idleMillis) => {
  let charge: string | undefined
  const onCharge = ({ state }: Charge) => void (charge = state)
  try {
    for await (const _ of client.chatCompletionsStream(chat, { deadlineMillis: 30_000, idleMillis, onCharge }));
    return learned("answer", { charge })
  } catch (error) {
    return told(charge)(error)
  }
})

export const tollgate: Ways = {
  whole: oursWhole((client) => client.chatCompletions(chat)),
  stream: oursStreamed,
  usage: oursWhole((client) => client.usage({ start_time: 1 })),
  data: oursWhole((client) => client.userStories({ user: "a" })),
  openai: oursWhole((client) => client.chatCompletions(chat)),
  anthropic: oursWhole((client) => client.messages(message)),
  gemini: oursWhole((client) => client.generateContent({ path: { model: "sandbox" }, body: content })),
  task: oursWhole((client) => client.videoCreate(video))
}
