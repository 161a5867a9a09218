import type { Rule } from "./Rule.ts"

const instead: Readonly<Record<string, string>> = {
  "Date.now": "effect/Clock",
  "performance.now": "effect/Clock",
  "Math.random": "effect/Random",
  "crypto.randomUUID": "effect/crypto",
  "crypto.getRandomValues": "effect/crypto",
  setTimeout: "Effect.sleep",
  setInterval: "Effect.repeat",
  setImmediate: "Effect.yieldNow"
}

const bare = (name: string) => name.replace(/^globalThis\./, "")

/** Time and randomness come from services, so that tests can control them. */
export const noAmbient: Rule = {
  create: (context) => {
    const refuse = (node: Parameters<typeof context.sourceCode.getText>[0] & object, what: string, use: string) =>
      context.report({ node, message: `Tests cannot control ${what}: use ${use}.` })
    return {
      MemberExpression: (node) => {
        const name = bare(context.sourceCode.getText(node))
        if (Object.hasOwn(instead, name)) refuse(node, name, instead[name]!)
      },
      CallExpression: ({ callee }) => {
        if (callee.type === "Identifier" && Object.hasOwn(instead, callee.name))
          refuse(callee, callee.name, instead[callee.name]!)
      },
      NewExpression: (node) => {
        if (node.arguments.length === 0 && bare(context.sourceCode.getText(node.callee)) === "Date")
          refuse(node, "new Date()", "effect/Clock")
      }
    }
  }
}
