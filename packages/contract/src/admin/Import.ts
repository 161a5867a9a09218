import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { bodyLimits } from "../Operation.ts"
import { Label } from "../account/Key.ts"
import { Note } from "./Terms.ts"
import { OptionalText, Text, TextOrNull } from "../account/Amount.ts"

const text = (pattern: RegExp, expected: string) => Schema.String.check(Schema.isPattern(pattern, { expected }))

/** What `tollgate operations import` takes, and the upstream that it leaves to the reader. */
const asked = {
  document: Text("An OpenAPI document, 3.0 to 3.2, as JSON or YAML."),
  upstream: text(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/, "a name of up to 64 letters, digits, spaces and . _ -").annotate(
    {
      description: "The upstream that executes the operations. If the file has none of this name, it is added."
    }
  ),
  base_url: OptionalText("The address of a new upstream. Default: the first server that the document names."),
  private: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Allow loopback and private addresses for a new upstream, and http to them."
  }),
  credential: Schema.optionalKey(
    Schema.Struct({
      header: Schema.optionalKey(text(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, "the name of a header")).annotate({
        description: "Default: `Authorization`, as a bearer token."
      })
    }).annotate({
      description: "A new upstream gets a credential. The file names the variable that holds it: see `variable`."
    })
  ),
  price: Schema.optionalKey(
    text(
      /^(?:free|\d{1,7}(?:\.\d{1,9})?)$/,
      "an amount of USD with at most nine decimals, such as 0.002, or free"
    ).annotate({ description: "What each call costs, in USD, or `free`. Without it calls are refused." })
  ),
  only: Schema.optionalKey(Schema.Array(Label).check(Schema.isMaxLength(100))).annotate({
    description: "Only operations whose id, path, method and path, or tag is one of these. `*` stands for any text."
  }),
  prefix: Schema.optionalKey(text(/^[a-z0-9][a-z0-9_-]{0,63}$/, "lower-case letters, digits, _ and -")).annotate({
    description: "The first part of ids, and of paths after `/apis/v1/`. Default: the upstream's name."
  })
}

export const ImportRequest = Schema.Struct(asked)
export interface ImportRequest extends Schema.Schema.Type<typeof ImportRequest> {}

export const ImportedOperation = Schema.Struct({
  id: Schema.String,
  method: Schema.String,
  path: Schema.String,
  price: Schema.Unknown.annotate({ description: "As in the file. `pending`: it has none, and calls are refused." })
}).annotate({ identifier: "ImportedOperation" })
export interface ImportedOperation extends Schema.Schema.Type<typeof ImportedOperation> {}

export const ImportPreview = Schema.Struct({
  report: Schema.Array(Schema.String).annotate({
    description: "The lines that the command prints: what is taken, what is left out and why, and what would change."
  }),
  change: Schema.Literals(["new", "changed", "same", "nothing"]).annotate({
    description:
      "What happens to the file of operations. `same`: it is up to date. `nothing`: there is no operation to write."
  }),
  file: Text("The name of the file of operations, beside the configuration file."),
  file_text: Text("The text of the file of operations."),
  count: Schema.Int.annotate({ description: "How many operations the file has." }),
  operations: Schema.Array(ImportedOperation).annotate({ description: "These operations, 200 at most." }),
  config: Schema.Unknown.annotate({
    description:
      "What the configuration file gets: an entry of `upstreams` and one of `operations`, if they are missing."
  }),
  variable: TextOrNull("The environment variable that holds the credential of the new upstream. `null`: it has none."),
  problems: Schema.Array(Schema.String).annotate({
    description:
      "Why the gateway would refuse the files, such as an id that another operation has. Empty: it would not."
  }),
  fingerprint: TextOrNull(
    "Identifies both files as they are now. `null`: there is no configuration file that can be read."
  ),
  refusal: TextOrNull("Why the gateway cannot write the files. `null`: it can.")
}).annotate({ identifier: "ImportPreview" })
export interface ImportPreview extends Schema.Schema.Type<typeof ImportPreview> {}

export const ApplyImport = Schema.Struct({
  ...asked,
  fingerprint: Text("That of the preview. If one of the files has changed since, the answer is 409."),
  note: Schema.optionalKey(Note.annotate({ description: "Who you are, or why. It is recorded." }))
})
export interface ApplyImport extends Schema.Schema.Type<typeof ApplyImport> {}

export const AppliedImport = Schema.Struct({
  file: Schema.String,
  count: Schema.Int.annotate({ description: "How many operations the file has." })
}).annotate({ identifier: "AppliedImport" })
export interface AppliedImport extends Schema.Schema.Type<typeof AppliedImport> {}

const example = {
  document: '{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{"/pets":{"get":{}}}}',
  upstream: "pets",
  base_url: "https://pets.example.com",
  price: "0.002"
}

export const imports = {
  previewImport: Api.post("/imports/preview", {
    summary: "What an OpenAPI document would add to the configuration. Changes nothing",
    role: Api.everybody,
    body: ImportRequest,
    success: ImportPreview,
    replay: "free",
    bodyLimit: bodyLimits.model,
    example: { body: example }
  }),
  applyImport: Api.post("/imports/apply", {
    summary: "Adds the operations of an OpenAPI document to the configuration and reloads it",
    description: "Needs `TOLLGATE_CONFIG_WRITE=on`. If the reload refuses the files, the old ones are put back.",
    body: ApplyImport,
    success: AppliedImport,
    conflicts: true,
    bodyLimit: bodyLimits.model,
    example: { body: { ...example, fingerprint: "0".repeat(64) } }
  })
} as const
