import { type Block, blocksIn } from "@tollgate/contract/Markdown"
import { Fragment, memo } from "react"
import { Code } from "../kit.tsx"
import styles from "./markdown.module.css"
import { type Span, spansIn } from "./spans.ts"

const Line = ({ text }: { readonly text: string }) => <Spans spans={spansIn(text)} />

const marks = { strong: "strong", stressed: "em", struck: "s" } as const

const Spans = ({ spans }: { readonly spans: ReadonlyArray<Span> }) =>
  spans.map((span, at) => {
    switch (span.kind) {
      case "text":
        return <Fragment key={at}>{span.text}</Fragment>
      case "code":
        return <code key={at}>{span.text}</code>
      case "link":
        return (
          <a key={at} href={span.href} target="_blank" rel="noreferrer noopener nofollow">
            {span.text}
          </a>
        )
      default: {
        const Mark = marks[span.kind]
        return (
          <Mark key={at}>
            <Spans spans={span.spans} />
          </Mark>
        )
      }
    }
  })

/** The only paragraph of an item stands on the line of its mark. */
const Item = ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) => {
  const [first, ...rest] = blocks
  return (
    <li>
      {first?.kind === "paragraph" ? (
        <Line text={first.text} />
      ) : (
        <Blocks blocks={first === undefined ? [] : [first]} />
      )}
      <Blocks blocks={rest} />
    </li>
  )
}

/** A heading of an answer is none of the page, so that it is not in the page's outline. */
const BlockView = ({ block }: { readonly block: Block }) => {
  switch (block.kind) {
    case "heading":
      return (
        <p className={styles["heading"]} data-level={block.level}>
          <Line text={block.text} />
        </p>
      )
    case "paragraph":
      return (
        <p>
          <Line text={block.text} />
        </p>
      )
    case "code":
      return <Code code={block.code} title={/^\S*/.exec(block.info)?.[0] ?? ""} />
    case "table":
      return (
        <div className="table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at} scope="col">
                    <Line text={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {block.head.map((_, column) => (
                    <td key={column}>
                      <Line text={row[column] ?? ""} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case "list": {
      const items = block.items.map((item, at) => <Item key={at} blocks={item} />)
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case "rule":
      return <hr />
  }
}

const Blocks = ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) =>
  blocks.map((block, at) => <BlockView key={at} block={block} />)

/** The text of a model. It is made of elements, never of HTML, so nothing in it can run or load. */
export const Markdown = memo(({ text }: { readonly text: string }) => (
  <div className={styles["markdown"]}>
    <Blocks blocks={blocksIn(text)} />
  </div>
))
