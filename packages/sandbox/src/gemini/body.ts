import { Maybe } from "@tollgate/contract/Open"
import * as Schema from "effect/Schema"
import { Count, NonEmpty, Sequences, upTo } from "../wire/fields.ts"

const Part = Schema.Union([
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({
    functionCall: Schema.Struct({ name: Schema.String, args: Maybe(Schema.Unknown) })
  }),
  Schema.Struct({
    functionResponse: Schema.Struct({ name: Schema.String, response: Maybe(Schema.Unknown) })
  }),
  Schema.Struct({ inlineData: Schema.Struct({}) }),
  Schema.Struct({ fileData: Schema.Struct({}) })
])
export type Part = typeof Part.Type

const Declaration = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Maybe(Schema.String),
  parameters: Maybe(Schema.Unknown),
  parametersJsonSchema: Maybe(Schema.Unknown)
})
export type Declaration = typeof Declaration.Type

/** The fields of a body in the Gemini format that the sandbox reads. */
export const GeminiBody = Schema.Struct({
  contents: NonEmpty(
    Schema.Struct({
      role: Maybe(Schema.Literals(["user", "model", "function"])),
      parts: NonEmpty(Part)
    })
  ),
  systemInstruction: Maybe(Schema.Struct({ parts: Schema.Array(Part) })),
  tools: Maybe(Schema.Array(Schema.Struct({ functionDeclarations: Maybe(Schema.Array(Declaration)) }))),
  toolConfig: Maybe(
    Schema.Struct({
      functionCallingConfig: Maybe(
        Schema.Struct({
          mode: Maybe(Schema.Literals(["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"])),
          allowedFunctionNames: Maybe(Schema.Array(Schema.String))
        })
      )
    })
  ),
  generationConfig: Maybe(
    Schema.Struct({
      maxOutputTokens: Maybe(Count),
      candidateCount: Maybe(upTo(8)),
      stopSequences: Maybe(Sequences),
      thinkingConfig: Maybe(
        Schema.Struct({
          includeThoughts: Maybe(Schema.Boolean),
          thinkingBudget: Maybe(Schema.Int),
          thinkingLevel: Maybe(Schema.String)
        })
      ),
      responseMimeType: Maybe(Schema.String),
      responseSchema: Maybe(Schema.Unknown),
      responseJsonSchema: Maybe(Schema.Unknown)
    })
  )
})
export type GeminiBody = typeof GeminiBody.Type
