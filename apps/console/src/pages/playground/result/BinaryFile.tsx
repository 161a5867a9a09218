import { useMemo } from "react"
import { size } from "../../../ui/amounts.ts"
import { Button } from "../../../ui/kit.tsx"
import { saveFile } from "../../../ui/saveFile.ts"
import { type Binary, fileName, imageOf } from "./binary.ts"
import styles from "./result.module.css"

interface BinaryFileProps {
  readonly id: string
  readonly value: Binary
  readonly disposition: string | undefined
}

/** An answer that is a file: shown if it is an image, and saved by whoever wants it. */
export const BinaryFile = ({ disposition, id, value }: BinaryFileProps) => {
  const image = useMemo(() => imageOf(value), [value])
  const { bytes, contentType } = value
  const name = fileName(id, contentType, disposition)
  // A type that a page runs, such as HTML, would run as this origin if the browser opened it.
  const save = () => saveFile(name, new Blob([bytes], { type: "application/octet-stream" }))
  return (
    <>
      {image === undefined ? null : (
        <div className={styles["media"]}>
          <img src={image} alt="The answer" />
        </div>
      )}
      <p className={styles["others"]}>
        <span className="small">
          {contentType === "" ? "Unknown file type" : contentType}, {size(bytes.length)}
        </span>{" "}
        <Button onClick={save}>Download {name}</Button>
      </p>
    </>
  )
}
