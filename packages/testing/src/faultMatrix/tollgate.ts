import type { Charge } from "@tollgate/contract/Outcome"
import { createClient } from "@tollgate/node"
import { key } from "../TestGateway.ts"
import { field, type CallerResult, callerResult, nameOf } from "./CallerResult.ts"
import { chat, content, message, video, type ClientCall, type ClientCalls } from "./ClientCalls.ts"

type TollgateClient = ReturnType<typeof createClient>

const errorResult =
  (charge?: string) =>
  (error: unknown): CallerResult =>
    callerResult(String(field(error, "_tag") ?? nameOf(error)), {
      status: field(error, "status"),
      code: field(error, "code"),
      requestId: field(error, "requestId"),
      outcome: field(error, "outcome"),
      charge: field(error, "charge", "state") ?? charge
    })

const withClient =
  (call: (client: TollgateClient, limitMillis: number) => Promise<CallerResult>): ClientCall =>
  (baseUrl, timeout) => {
    const client = createClient({ credential: key, baseUrl, timeout })
    return call(client, timeout).finally(client.close)
  }

const wholeCall = (call: (client: TollgateClient) => Promise<unknown>): ClientCall =>
  withClient((client) => call(client).then(() => callerResult("answer"), errorResult()))

const streamCall = withClient(async (client, idleTimeout) => {
  let charge: string | undefined
  const onCharge = ({ state }: Charge) => void (charge = state)
  try {
    for await (const _ of client.chatCompletionsStream(chat, { timeout: 30_000, idleTimeout, onCharge }));
    return callerResult("answer", { charge })
  } catch (error) {
    return errorResult(charge)(error)
  }
})

export const tollgate: ClientCalls = {
  whole: wholeCall((client) => client.chatCompletions(chat)),
  stream: streamCall,
  usage: wholeCall((client) => client.usage({ start_time: 1 })),
  data: wholeCall((client) => client.userStories({ user: "a" })),
  openai: wholeCall((client) => client.chatCompletions(chat)),
  anthropic: wholeCall((client) => client.messages(message)),
  gemini: wholeCall((client) => client.generateContent({ path: { model: "sandbox" }, body: content })),
  task: wholeCall((client) => client.videoCreate(video))
}
