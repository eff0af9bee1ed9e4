package io.tributary.perf.result;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file with results.
 *
 * @param tool what wrote it
 * @param runs one or more
 */
public record ResultFile(String tool, List<RunResult> runs) {
    private static final ObjectMapper MAPPER = mapper();

    /** Copies the list. */
    public ResultFile {
        runs = List.copyOf(runs);
    }

    /** A file of this version of the tool. */
    public static ResultFile of(List<RunResult> runs) {
        return new ResultFile("tributary perf, format 1", runs);
    }

    private static ObjectMapper mapper() {
        ObjectMapper mapper = JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
        // What an older version of the tool did not write is empty.
        JsonSetter.Value empty = JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY);
        mapper.configOverride(Map.class).setSetterInfo(empty);
        mapper.configOverride(List.class).setSetterInfo(empty);
        return mapper;
    }

    /** Whether {@code --out} asks for a line on standard output in place of files: {@code -}. */
    public static boolean isForOutput(@Nullable Path out) {
        return out != null && "-".equals(out.toString());
    }

    /** All of it as one line, which {@link #read} reads too. */
    public String line() throws IOException {
        return MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT).writeValueAsString(this);
    }

    /** Reads one. */
    public static ResultFile read(Path path) throws IOException {
        return MAPPER.readValue(Files.readString(path), ResultFile.class);
    }

    /** Writes it, in place of what is there. */
    public void write(Path path) throws IOException {
        Files.writeString(path, MAPPER.writeValueAsString(this) + "\n");
    }
}
