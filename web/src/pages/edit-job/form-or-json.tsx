import { useNavigate } from "@tanstack/react-router";
import { RadioSegments } from "./radio-segments.tsx";

/** Two ways to write the same job; which one is open stands in the address. */
export function FormOrJson({ asJson }: { asJson: boolean }) {
  const navigate = useNavigate();
  const choose = (as: "form" | "json") => {
    const search = (before: Record<string, unknown>) => ({ ...before, as: as === "json" ? as : undefined });
    void navigate({ to: ".", search: search as never, replace: true, resetScroll: false });
  };
  return (
    <RadioSegments
      label="How the job is written"
      options={[
        ["form", "Form"],
        ["json", "As JSON"],
      ]}
      value={asJson ? "json" : "form"}
      onChange={choose}
    />
  );
}
