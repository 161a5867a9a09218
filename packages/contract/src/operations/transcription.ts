import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { form, multipartType, UploadedFile, writeBody } from "../Upload.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

export const summary = "Write down what is said in a recording"
export const description =
  "Speech as text, in the language that is spoken. Sent as a form. It costs the tokens or the seconds that the upstream reports, by model."

export const transcription = Operation.make({
  ...kinds.modelCall,
  id: "audio.transcriptions",
  path: "/v1/audio/transcriptions",
  beyond: true,
  request: {
    ...form,
    body: Open({
      model: Schema.String,
      file: UploadedFile,
      language: Schema.optionalKey(Schema.String),
      prompt: Schema.optionalKey(Schema.String),
      response_format: Schema.optionalKey(Schema.Literals(["json", "verbose_json", "diarized_json"])).annotate({
        description: "Others do not report what a call costs, and are refused."
      }),
      stream: Schema.optionalKey(
        Schema.Boolean.check(Schema.makeFilter((streams) => !streams, { expected: "false: events are not offered" }))
      )
    })
  },
  success: Open({ text: Schema.String }),
  writeBody: (body) => writeBody(multipartType, body),
  family: "openai",
  price: prices.transcription,
  limit: limits.inference
})
