import * as Schema from "effect/Schema"
import { binary } from "../binary.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import * as limits from "../limits.ts"

export const summary = "Speak a text"
export const description = "Sound of a voice that reads the text. Each character of the text is billed."

export const speech = Operation.make({
  ...kinds.modelCall,
  ...binary("audio/*"),
  id: "audio.speech",
  path: "/v1/audio/speech",
  beyond: true,
  request: {
    body: Open({
      model: Schema.String,
      input: Schema.NonEmptyString,
      voice: Schema.Union([Schema.String, Open({ id: Schema.String })]),
      instructions: Schema.optionalKey(Schema.String),
      response_format: Schema.optionalKey(Schema.String).annotate({
        description: "Such as mp3, opus, aac, flac or wav."
      }),
      speed: Schema.optionalKey(Schema.Finite),
      stream_format: Schema.optionalKey(Schema.Literal("audio")).annotate({ description: "Events are not offered." })
    })
  },
  family: "openai",
  price: {
    contract: "per_request",
    amount: "pending",
    times: { field: ["input"], characters: true, unit: "character", otherwise: 1 }
  },
  limit: limits.inference,
  bodyLimit: Operation.bodyLimits.data
})
