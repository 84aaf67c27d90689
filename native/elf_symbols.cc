#include "elf_symbols.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace sql_rest {

namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Dynamic = ElfW(Dyn);
using Symbol = ElfW(Sym);
using Address = ElfW(Addr);

constexpr std::size_t kMaxName = 255;
constexpr unsigned char kNativeClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kNativeData =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

// Get reads entry `index` of a table; false beyond its end.
template <typename T>
bool Get(std::string_view table, std::size_t index, T* value) {
  if (index >= table.size() / sizeof(T)) return false;
  std::memcpy(value, table.data() + index * sizeof(T), sizeof(T));
  return true;
}

class Elf {
 public:
  explicit Elf(std::string_view bytes) : bytes_(bytes) {}

  bool Read(std::vector<ElfSymbol>* symbols, std::string* problem) {
    Header header;
    if (!Get(bytes_, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
      return Fail(problem, "not an ELF file");
    if (header.e_ident[EI_CLASS] != kNativeClass || header.e_ident[EI_DATA] != kNativeData)
      return Fail(problem, "an ELF file of another machine");
    if (header.e_type != ET_DYN) return Fail(problem, "an ELF file, but no shared library");
    if (!ReadSegments(header)) return Fail(problem, "an incomplete file");
    if (!ReadDynamic()) return Fail(problem, "a library without dynamic symbols");
    ReadSymbols(symbols);
    return true;
  }

 private:
  static bool Fail(std::string* problem, const char* reason) {
    *problem = reason;
    return false;
  }

  // False also when the file ends within a segment: once it is loaded, access to the missing part would raise SIGBUS.
  bool ReadSegments(const Header& header) {
    if (header.e_phentsize != sizeof(Segment) || header.e_phoff > bytes_.size()) return false;
    const std::string_view table = bytes_.substr(header.e_phoff);
    for (std::size_t i = 0; i < header.e_phnum; i++) {
      Segment segment;
      if (!Get(table, i, &segment)) return false;
      if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
      if (segment.p_offset > bytes_.size() || segment.p_filesz > bytes_.size() - segment.p_offset)
        return false;
      if (segment.p_type == PT_LOAD) segments_.push_back(segment);
      if (segment.p_type == PT_DYNAMIC)
        dynamic_ = bytes_.substr(segment.p_offset, segment.p_filesz);
    }
    return true;
  }

  // At returns the bytes from an address to the end of its segment; empty when no segment contains the address.
  std::string_view At(Address address) const {
    for (const Segment& segment : segments_) {
      if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
      const Address offset = address - segment.p_vaddr;
      return bytes_.substr(segment.p_offset + offset, segment.p_filesz - offset);
    }
    return {};
  }

  bool ReadDynamic() {
    Address names = 0;
    Address names_size = 0;
    Address symbols = 0;
    Address hash = 0;
    Address gnu_hash = 0;
    Dynamic entry;
    for (std::size_t i = 0; Get(dynamic_, i, &entry) && entry.d_tag != DT_NULL; i++) {
      if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) names_size = entry.d_un.d_val;
      if (entry.d_tag == DT_SYMTAB) symbols = entry.d_un.d_ptr;
      if (entry.d_tag == DT_HASH) hash = entry.d_un.d_ptr;
      if (entry.d_tag == DT_GNU_HASH) gnu_hash = entry.d_un.d_ptr;
    }
    names_ = At(names).substr(0, names_size);
    symbols_ = At(symbols);
    count_ = gnu_hash != 0 ? CountOfGnuHash(At(gnu_hash)) : CountOfHash(At(hash));
    return !names_.empty() && count_ > 0;
  }

  // The dynamic section does not contain the number of symbols. It follows from the hash tables: in DT_HASH it is the
  // number of chain entries, in DT_GNU_HASH the end of the chain that begins last.
  static std::size_t CountOfHash(std::string_view table) {
    std::uint32_t chains = 0;
    return Get(table, 1, &chains) ? chains : 0;
  }

  static std::size_t CountOfGnuHash(std::string_view table) {
    std::uint32_t buckets = 0;
    std::uint32_t first = 0;
    std::uint32_t filters = 0;
    if (!Get(table, 0, &buckets) || !Get(table, 1, &first) || !Get(table, 2, &filters)) return 0;
    const std::size_t preamble = 4 * sizeof(std::uint32_t) + filters * sizeof(Address);
    if (preamble > table.size()) return 0;
    table.remove_prefix(preamble);
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < buckets; i++) {
      std::uint32_t bucket = 0;
      if (!Get(table, i, &bucket)) return 0;
      last = std::max(last, bucket);
    }
    if (last == 0 || last < first) return 0;
    std::uint32_t link = 0;
    for (std::size_t i = buckets + std::size_t{last - first}; Get(table, i, &link); i++) {
      if ((link & 1) != 0) return i - buckets + first + 1;
    }
    return 0;
  }

  void ReadSymbols(std::vector<ElfSymbol>* symbols) const {
    Symbol symbol;
    for (std::size_t i = 0; i < count_ && Get(symbols_, i, &symbol); i++) {
      const int binding = symbol.st_info >> 4;
      if (binding != STB_GLOBAL && binding != STB_WEAK) continue;
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names_.size()) continue;
      const std::string_view rest = names_.substr(symbol.st_name, kMaxName + 1);
      const std::size_t length = rest.find('\0');
      if (length == 0 || length == std::string_view::npos) continue;
      ElfSymbol read;
      read.name = rest.substr(0, length);
      Describe(symbol, &read);
      symbols->push_back(read);
    }
  }

  void Describe(const Symbol& symbol, ElfSymbol* read) const {
    const int type = symbol.st_info & 0xF;
    if (type == STT_FUNC || type == STT_GNU_IFUNC) read->kind = ElfSymbol::Kind::kFunction;
    if (type != STT_OBJECT) return;
    read->kind = ElfSymbol::Kind::kData;
    std::uint32_t number = 0;
    if (symbol.st_size == sizeof(number) && Get(At(symbol.st_value), 0, &number))
      read->number = number;
  }

  const std::string_view bytes_;
  std::vector<Segment> segments_;
  std::string_view dynamic_;
  std::string_view names_;
  std::string_view symbols_;
  std::size_t count_ = 0;
};

}  // namespace

bool ReadElfSymbols(std::string_view bytes, std::vector<ElfSymbol>* symbols, std::string* problem) {
  return Elf(bytes).Read(symbols, problem);
}

}  // namespace sql_rest
