import { Copy } from "./Copy.tsx"

export interface CodeProps {
  readonly title: string
  readonly code: string
}

/** Code to take along. */
export const Code = ({ code, title }: CodeProps) => (
  <figure className="code">
    <figcaption>
      {title}
      <Copy text={code} />
    </figcaption>
    {/* It scrolls, so that the keyboard must reach it. */}
    <pre tabIndex={0}>
      <code>{code}</code>
    </pre>
  </figure>
)
