import type { Rule } from "./Rule.ts"

export const noDoubleCast: Rule = {
  create: (context) => ({
    TSAsExpression: (node) => {
      if (node.expression.type !== "TSAsExpression") return
      if (node.expression.typeAnnotation.type !== "TSUnknownKeyword") return
      context.report({
        node,
        message: "`as unknown as` turns off type checking: decode the value, or narrow its type."
      })
    }
  })
}
