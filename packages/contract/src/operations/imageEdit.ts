import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { form, multipartType, UploadedFile, writeBody } from "../Upload.ts"
import * as limits from "../limits.ts"

export const summary = "Change an image as a text says"
export const description = "Edits a picture, or a part of it under a mask, from a description in words. Sent as a form."

export const imageEdit = Operation.make({
  ...kinds.modelCall,
  id: "images.edit",
  path: "/v1/images/edits",
  beyond: true,
  request: {
    ...form,
    body: Open({
      model: Schema.optionalKey(Schema.String),
      prompt: Schema.NonEmptyString,
      image: Schema.optionalKey(UploadedFile).annotate({ description: "Several are sent as `image[]`." }),
      mask: Schema.optionalKey(UploadedFile),
      n: Schema.optionalKey(Schema.Int),
      size: Schema.optionalKey(Schema.String),
      quality: Schema.optionalKey(Schema.String),
      stream: Schema.optionalKey(
        Schema.Boolean.check(Schema.makeFilter((streams) => !streams, { expected: "false: events are not offered" }))
      )
    })
  },
  success: Open({ data: Schema.Array(Open({})) }),
  writeBody: (body) => writeBody(multipartType, body),
  family: "openai",
  price: {
    contract: "per_request",
    amount: "pending",
    times: { field: ["n"], unit: "image", otherwise: 1 }
  },
  limit: limits.image
})
