import type { Visitor } from "./Rule.ts"

type Import = Parameters<NonNullable<Visitor["ImportDeclaration"]>>[0]
export type Source = Import["source"]

/** Visits the source of every kind of import and re-export. */
export const sources = (visit: (source: Source) => void): Visitor => ({
  ImportDeclaration: (node) => visit(node.source),
  ExportAllDeclaration: (node) => visit(node.source),
  ExportNamedDeclaration: (node) => {
    if (node.source !== null) visit(node.source)
  },
  ImportExpression: ({ source }) => {
    if (source.type === "Literal" && typeof source.value === "string") visit(source)
  }
})
