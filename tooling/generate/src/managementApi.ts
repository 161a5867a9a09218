import { accountApi } from "@tollgate/contract/account/accountApi"
import { adminApi } from "@tollgate/contract/admin/adminApi"
import { type Api, type ApiRoute, NoFields, parametersOf } from "@tollgate/contract/Api"
import { jsonSchema } from "@tollgate/contract/openapi/jsonSchema"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { formattedMarkdown } from "../../release/src/formattedMarkdown.ts"
import { root } from "../../release/src/program.ts"
import { formatted, type Generated } from "./Generated.ts"

type Schema = ApiRoute["success"]

interface Named {
  readonly name: string
  readonly module: string
}

const modules = [
  "Api",
  ...["account", "admin"].flatMap((folder) =>
    readdirSync(join(root, "packages/contract/src", folder)).map((file) => `${folder}/${file.replace(/\.ts$/, "")}`)
  )
]

/** The name of each schema that a module of the contract exports: its type has the same name. */
const namesOf = async (): Promise<ReadonlyMap<unknown, Named>> => {
  const names = new Map<unknown, Named>()
  for (const module of modules) {
    const exported = (await import(`@tollgate/contract/${module}`)) as Record<string, unknown>
    for (const [name, schema] of Object.entries(exported)) {
      if (/^[A-Z]/.test(name) && !names.has(schema)) names.set(schema, { name, module })
    }
  }
  return names
}

const routesOf = ({ groups }: Api): ReadonlyArray<readonly [name: string, route: ApiRoute]> =>
  Object.values(groups).flatMap((routes) => Object.entries(routes))

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly description: string | undefined
}

const fieldsOf = (schema: Schema | undefined): ReadonlyArray<Field> => {
  if (schema === undefined || schema === NoFields) return []
  const { properties = {}, required = [] } = jsonSchema(schema).schema as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>
    readonly required?: ReadonlyArray<string>
  }
  return Object.entries(properties).map(([name, { description }]) => ({
    name,
    isRequired: required.includes(name),
    description
  }))
}

/** What a function takes after the parameters of the path. */
const lastArgument = ({ body, method, query }: ApiRoute, typeOf: (schema: Schema) => string): ReadonlyArray<string> => {
  const fields = fieldsOf(query ?? body)
  const [only, ...others] = fields
  const schema = query ?? body
  if (schema === undefined || only === undefined) return []
  const optional = method === "PATCH" || fields.some(({ isRequired }) => isRequired) ? "" : "?"
  return body !== undefined && others.length === 0
    ? [`${camelCase(only.name)}${optional}: ${typeOf(body)}["${only.name}"]`]
    : [`${query === undefined ? "body" : "query"}${optional}: ${typeOf(schema)}`]
}

const optionsOf = ({ body, method, replay = method === "POST" ? "create" : "free" }: ApiRoute): string => {
  const [only, ...others] = fieldsOf(body)
  const options = [
    ...(only !== undefined && others.length === 0 ? [`field: "${only.name}"`] : []),
    ...(replay === "create" ? [`replay: "create"`] : [])
  ]
  return options.length === 0 ? "" : `, { ${options.join(", ")} }`
}

const method = ({ method }: ApiRoute): string => method.toLowerCase()

const sentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`)

/** The summary, and what is said of the fields of the input. */
const hover = ({ body, description, query, summary }: ApiRoute): string => {
  const fields = fieldsOf(query ?? body).flatMap(({ description, name }) =>
    description === undefined ? [] : [` * - \`${name}\`: ${description}`]
  )
  const text = [sentence(summary), ...(description === undefined ? [] : [description])].join(" ")
  return fields.length === 0 ? `/** ${text} */` : ["/**", ` * ${text}`, " *", ...fields, " */"].join("\n")
}

const clientFile = (api: Api): Generated => {
  const file = `packages/client/src/generated/${api.name}Api.ts`
  return {
    file,
    make: async () => {
      const names = await namesOf()
      const used = new Map<string, Set<string>>()
      const functions = routesOf(api).flatMap(([name, route]) => {
        if (route.isOpen === true || route.type !== undefined) return []
        const typeOf = (schema: Schema): string => {
          const named = names.get(schema)
          if (named === undefined) {
            throw new Error(
              `${api.name}.${name}: export its schemas from packages/contract/src/${api.name}, with types.`
            )
          }
          used.set(named.module, (used.get(named.module) ?? new Set()).add(named.name))
          return named.name
        }
        const parameters = [
          ...parametersOf(route.path).map((parameter) => `${camelCase(parameter)}: string`),
          ...lastArgument(route, typeOf)
        ]
        return [
          `${hover(route)}
export const ${name}: (${parameters.join(", ")}) => Request<${typeOf(route.success)}> = /* @__PURE__ */ ${method(route)}(
  "${api.name}.${name}", "${api.prefix}${route.path}"${optionsOf(route)}
)`
        ]
      })
      const methods = ["get", "patch", "post"].filter((name) => functions.some((text) => text.includes(` ${name}(\n`)))
      const imports = [...used]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(
          ([module, names]) => `import type { ${[...names].toSorted().join(", ")} } from "@tollgate/contract/${module}"`
        )
      const head = [
        `// Generated by \`pnpm generate\` from the routes of the ${api.name} API in the contract. Do not edit.`,
        "",
        ...imports,
        `import { ${methods.join(", ")}, type Request } from "../managementApi/route.ts"`
      ]
      return formatted(file, [...head, ...functions.flatMap((text) => ["", text]), ""].join("\n"))
    }
  }
}

const code = (names: ReadonlyArray<Field>): string => names.map(({ name }) => `\`${name}\``).join(", ")

const takes = ({ body, query }: ApiRoute): string => {
  const fields = fieldsOf(query ?? body)
  const required = code(fields.filter(({ isRequired }) => isRequired))
  const optional = code(fields.filter(({ isRequired }) => !isRequired))
  const all = [required, optional === "" ? "" : `optional ${optional}`].filter((text) => text !== "").join("; ")
  return query === undefined || all === "" ? all : `query: ${all}`
}

const table = (api: Api): string =>
  [
    "| route | takes | |",
    "| --- | --- | --- |",
    ...routesOf(api).map(
      ([, route]) => `| \`${route.method} ${api.prefix}${route.path}\` | ${takes(route)} | ${route.summary} |`
    )
  ].join("\n")

const marked = /(?<=<!-- routes -->\n+).*(?=\n+<!-- \/routes -->)/s

const docsTable = (api: Api): Generated => {
  const file = `docs/${api.name}.md`
  return {
    file,
    make: async (text) => {
      if (!marked.test(text)) throw new Error(`${file} has no <!-- routes --> … <!-- /routes -->.`)
      return formattedMarkdown(
        file,
        text.replace(marked, () => table(api))
      )
    }
  }
}

/** The client's functions and the documents' tables of the gateway's own APIs. */
export const managementApi: ReadonlyArray<Generated> = [adminApi, accountApi].flatMap((api) => [
  clientFile(api),
  docsTable(api)
])
