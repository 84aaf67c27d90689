export interface BillOfMaterials {
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

export function billOfMaterials(): BillOfMaterials;
